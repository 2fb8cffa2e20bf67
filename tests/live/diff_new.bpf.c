/* SPDX-License-Identifier: BSD-2-Clause */
#define DIFF_NEW
#include "diff.bpf.h"
