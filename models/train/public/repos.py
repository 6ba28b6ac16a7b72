"""Reads files at a commit out of git directories, without a work tree."""

import json
import os
import subprocess


class Missing(Exception):
    """A repository, a commit or a file that is not there; the text says what to do."""


class Repo:
    """One repository at one commit. `folder` holds it as OWNER+NAME: a git directory, a checkout, or a folder with either as `repo`."""

    def __init__(self, folder, name, commit):
        self.name, self.commit = name, commit
        self.git_dir = self.find(os.path.join(folder, name.replace("/", "+")))

    def find(self, base):
        seen = False
        for at in (base, os.path.join(base, ".git"), os.path.join(base, "repo"), os.path.join(base, "repo", ".git")):
            if not os.path.isfile(os.path.join(at, "HEAD")):
                continue
            seen = True
            if self.run(at, "cat-file", "-e", self.commit + "^{commit}").returncode == 0:
                return at
        what = f"lacks commit {self.commit}" if seen else "is missing"
        raise Missing(
            f"{self.name} {what}: expected in {base}; fetch it with\n"
            f"  git clone --no-checkout https://github.com/{self.name} '{base}' && git -C '{base}' fetch origin {self.commit}"
        )

    @staticmethod
    def run(git_dir, *args):
        return subprocess.run(["git", "--git-dir", git_dir, *args], capture_output=True, check=False)

    def text(self, path):
        got = self.run(self.git_dir, "show", f"{self.commit}:{path}")
        if got.returncode:
            raise Missing(f"{self.name} at {self.commit} has no {path} in {self.git_dir}: {got.stderr.decode(errors='replace').strip()}")
        return got.stdout.decode("utf-8", errors="replace").lstrip("\ufeff")

    def json(self, path):
        return json.loads(self.text(path))

    def lines(self, path):
        """JSON values, one a line, whatever the file's ending says."""
        return [json.loads(line) for line in self.text(path).splitlines() if line.strip()]

    def names(self, under):
        """Paths of the files in a folder, sorted."""
        got = self.run(self.git_dir, "ls-tree", "-r", "--name-only", "-z", self.commit, "--", under.rstrip("/") + "/")
        return sorted(filter(None, got.stdout.decode().split("\0")))
