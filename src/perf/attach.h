/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

struct env;
struct err;
struct attach_request;
struct attach_result;
/* place_trace.attach: always with a link, pinned or held. */
int trace_attach(struct env *env, const struct attach_request *q, struct attach_result *ret, struct err *e);
