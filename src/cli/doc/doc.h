/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/*
 * `__doc man FILE.in`: print the template of a manual page, mdoc(7), with marker lines replaced by text from the
 * tables. GROUP is a first word; without it, a marker stands for the groups without their own page, each of which is
 * one command (version, help).
 *
 *   @TITLE [GROUP]@	.Dt and .Os: the page's name, the manual's, and our version
 *   @SYNOPSIS [GROUP]@	a .Nm line and its arguments for each command
 *   @COMMANDS [GROUP]@	an .Ss for each command: its summary, help, and a list of its arguments
 *   @FIELDS GROUP@	an .Ss for the fields of the group's records, and one for each part that depends on their type
 *   @EXAMPLES GROUP@	the commands' examples, as a display
 *   @SEEALSO [GROUP]@	.Xr lines for the other pages, bpf(2), bpftool(8)
 *   @GROUPS@		a list of all first words
 *   @HOOKS@		the hooks that attachments are listed at: their words, program types, and since which kernel
 *   @ANSWERS@		the names of the answers that an archive holds, and what they are
 *   @OPTIONS@		a list of the options that every command takes
 *   @WORDS@		the words of each group, bpftool's apart from ours
 *   @COLORS@		the roles of text and their usual colours
 *   @ROWS GROUP@	the types of the group's objects, with the verbs for each, or what the command prints
 *
 * An unknown marker or group is an error, so no marker is left in a page.
 */
struct command;
extern const struct command command_doc;
