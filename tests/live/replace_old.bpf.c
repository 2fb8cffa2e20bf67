/* SPDX-License-Identifier: BSD-2-Clause */
#include "replace.bpf.h"
