/* SPDX-License-Identifier: BSD-2-Clause */
#include "diff.bpf.h"
