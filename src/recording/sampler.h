/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef RECORDING_SAMPLER_H
#define RECORDING_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>

struct source;
struct sampler;
/* Samples into the file of a recording (source_record()), piece by piece, with the names of the threads that are in
 * them. */

/* 0 or -errno, as sampling_open(). @hz 0: sampler NULL, which the others take and do nothing with. */
int sampler_begin(struct sampler **ret, struct source *file, uint32_t hz);
/* What is there now. @flush: it is in the file when this returns, else when there is enough of it. */
void sampler_read(struct sampler *s, bool flush);
/*
 * The recording goes on in another file: what is there now is the last in this one, and nothing is read until the next
 * one is known.
 */
void sampler_leave(struct sampler *s);
void sampler_next(struct sampler *s, struct source *file);
/* The end of the recording: nothing is sampled any more. */
void sampler_end(struct sampler *s);
void sampler_close(struct sampler **s);

/* After the end. */
struct sampler_count {
	uint64_t samples, lost;
};
struct sampler_count sampler_count(const struct sampler *s);

#endif
