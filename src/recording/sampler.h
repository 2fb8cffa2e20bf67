/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

#include "source/file/recorder.h"

struct source;
struct sampler;
/* Writes samples to the file of a recording (source_record()), piece by piece, with the names of their threads. */

/* 0 or -errno, as sampling_open(). @hz 0: *ret is NULL, which the other functions accept and ignore. */
int sampler_begin(struct sampler **ret, struct source *file, uint32_t hz);
/* Read the samples taken so far. @flush: write them to the file now, else when there are enough. */
void sampler_read(struct sampler *s, bool flush);
/*
 * Continue the recording in another file: sampler_leave() writes the last samples to this one, and nothing is read
 * until sampler_next().
 */
void sampler_leave(struct sampler *s);
void sampler_next(struct sampler *s, struct source *file);
/* The recording ends: stop sampling. */
void sampler_end(struct sampler *s);
void sampler_close(struct sampler **s);

/* Totals, after the end. */
struct sampler_count {
	uint64_t samples, lost;
};
struct sampler_count sampler_count(const struct sampler *s);
