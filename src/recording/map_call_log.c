/* SPDX-License-Identifier: BSD-2-Clause */
#include "recording/map_call_log.h"

#include "cli/env.h"
#include "events/attr.h"
#include "host/caps.h"
#include "map/map.h"
#include "own/capture/calls.h"
#include "source/file/recorder.h"
#include "source/machine.h"
#include "source/file/map_calls.h"
#include "source/questions.h"

#define PIECE (64u << 10) /* bytes */

struct map_call_log {
	struct calls *calls;
	struct source *file; /* NULL: between two files, or at the end */
	struct str piece;
	uint32_t map;
	uint64_t pieces, total;
	uint64_t lost_before; /* in the earlier files */
};

static void head_write(struct map_call_log *log)
{
	const struct map_calls head = { log->map, calls_lost(log->calls) - log->lost_before };
	STR text = { 0 };

	map_calls_put_head(&text, &head);
	source_record_again(log->file, &(const struct asked){ Q_CALLS }, text.p, text.n);
}

static int log_open(struct map_call_log *log, struct env *env, struct own *own, struct err *e)
{
	struct calls_command commands[CALLS_COMMANDS];
	struct map_decode decode;
	struct calls_map map;
	int err = map_decode_init(env, log->map, &decode, e);

	if (err)
		return err;
	attr_watch(commands);
	attr_watch_map(&decode, &map);
	err = calls_open(&log->calls, own, commands, &map);
	return err ? err_set(e, err, "cannot load the BPF program that traces system calls: %s",
			     caps_load_failure(err)) :
		     0;
}

int map_call_log_begin(struct map_call_log **ret, struct env *env, struct own *own, uint32_t map, struct err *e)
{
	struct map_call_log *log;
	int err;

	*ret = NULL;
	if (!map)
		return 0;
	log = array_resize(NULL, 1, sizeof(*log));
	*log = (struct map_call_log){ .file = env->machine->src, .map = map };
	err = log_open(log, env, own, e);
	if (err) {
		free(log);
		return err;
	}
	head_write(log);
	*ret = log;
	return 0;
}

void map_call_log_read(struct map_call_log *log, bool flush)
{
	const struct calls_record *r;

	if (!log || !log->file)
		return;
	while ((r = calls_next(log->calls))) {
		if (r->pid == (uint32_t)getpid())
			continue;
		map_calls_put(&log->piece, r);
		log->total++;
	}
	calls_consume(log->calls);
	if (!log->piece.n || (!flush && log->piece.n < PIECE))
		return;
	source_record_again(log->file, &(const struct asked){ Q_CALL, log->pieces++ }, log->piece.p, log->piece.n);
	str_reset(&log->piece);
}

void map_call_log_next(struct map_call_log *log, struct source *next)
{
	if (!log)
		return;
	map_call_log_read(log, true);
	if (log->file) {
		head_write(log);
		log->lost_before = calls_lost(log->calls);
	}
	log->file = next;
	log->pieces = 0;
	if (next)
		head_write(log);
}

void map_call_log_close(struct map_call_log **log)
{
	if (!*log)
		return;
	calls_close(&(*log)->calls);
	str_release(&(*log)->piece);
	free(*log);
	*log = NULL;
}

struct map_call_log_count map_call_log_count(const struct map_call_log *log)
{
	return log ? (struct map_call_log_count){ log->total, calls_lost(log->calls) } :
		     (struct map_call_log_count){ 0 };
}
