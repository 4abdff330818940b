"""What every test stands on: a clean environment, real git repositories, and the real command."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from builders.repo import Repo

if TYPE_CHECKING:
    from pathlib import Path

settings.register_profile("snob", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("snob")


@pytest.fixture(autouse=True)
def clean_environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No git configuration, no variable of the caller's and no cache of the user's reaches a test."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith("GIT_") or name in {"CI", "NO_COLOR", "FORCE_COLOR", "XDG_CONFIG_HOME"}:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / "cache"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    monkeypatch.setenv("TZ", "UTC")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A new git repository with no commit."""
    return Repo.new(tmp_path / "project")


@pytest.fixture
def plain(tmp_path: Path) -> Repo:
    """A folder outside git, with the same steps as a repository."""
    root = tmp_path / "plain"
    root.mkdir()
    return Repo(root)
