/* SPDX-License-Identifier: BSD-2-Clause */
#define REPLACE_NEW
#include "replace.bpf.h"
