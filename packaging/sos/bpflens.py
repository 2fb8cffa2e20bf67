# SPDX-License-Identifier: BSD-2-Clause
"""Plug-in of sos(1), version 4: the BPF state of the machine in its report, without the contents of maps."""
from sos.report.plugins import DebianPlugin, IndependentPlugin, Plugin, RedHatPlugin, UbuntuPlugin


# sos 4.0 of Debian does not take IndependentPlugin alone.
class Bpflens(Plugin, DebianPlugin, UbuntuPlugin, RedHatPlugin, IndependentPlugin):

    short_desc = "BPF objects, what they are attached to, and their memory"
    plugin_name = "bpflens"
    profiles = ("system", "kernel", "network")
    packages = ("bpflens",)
    commands = ("bpflens",)

    def setup(self):
        # The archive is not text, and would be useless without its beginning.
        self.add_cmd_output("bpflens save --partial -", suggest_filename="bpf.tar.gz", binary=True, stderr=False, sizelimit=0)
        self.add_cmd_output(["bpflens doctor", "bpflens mem --by owner"])
