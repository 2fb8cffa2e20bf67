/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once

/* Commands on which objects hold which others; the graph itself is relate/graph.h. */
struct command;
struct schema;
extern const struct command command_graph, command_why, command_orphans;
extern const struct schema graph_node_schema, why_schema, orphan_schema;
