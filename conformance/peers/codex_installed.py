"""The real Codex with groundwire in its config.toml: it lists the server and calls its search."""

from __future__ import annotations

from conformance.installed import check_out_again, contents, install
from conformance.recording import keep
from conformance.trial import SCRIPTS, Trial
from groundwire.emulator import Emulator
from groundwire.integrations.install.hosts import HOSTS

CONFIG = ".codex/config.toml"
OWNERS_CONFIG = """\
# written by hand
model = "gpt-5.5"
model_provider = "emulator" # not the real one
chatgpt_base_url = "{url}/backend-api/"

[model_providers.emulator]
name = "emulator"
base_url = "{url}/backend-api/codex"
wire_api = "responses"
requires_openai_auth = true
stream_max_retries = 1
"""


async def check_installed(trial: Trial) -> None:
    """Install, sign in, list, call a tool with the key of the environment, install again, uninstall."""
    home, work = trial.new_folder("home"), trial.new_folder("work")
    async with Emulator(script=SCRIPTS / "codex_installed.toml") as emulator:
        url = emulator.base_url
        (home / CONFIG).parent.mkdir()
        (home / CONFIG).write_text(OWNERS_CONFIG.format(url=url), encoding="utf-8")
        before = contents([CONFIG], home)
        done = await install(trial, "codex", home, work)
        trial.check("`groundwire install codex` succeeds.", done.code == 0, done.brief)
        variables = {
            "GEMINI_API_KEY": "key-of-the-environment",
            "GOOGLE_GEMINI_BASE_URL": url,
            "CODEX_REFRESH_TOKEN_URL_OVERRIDE": f"{url}/oauth/token",
        }
        signing_in = ["codex", "login", "--device-auth", "--experimental_issuer", url]
        await trial.command(signing_in, variables, home=home, folder=work)
        listed = await trial.command(["codex", "mcp", "list"], variables, home=home, folder=work)
        trial.check("It lists the server.", "groundwire" in listed.out, listed.brief)
        asking = ["exec", "--json", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        ran = await trial.command(["codex", *asking, "look-it-up"], variables, home=home, folder=work)
        trial.check(
            "Its model calls websearch_gemini of the server groundwire and gets a cited answer.",
            '"server":"groundwire","tool":"websearch_gemini"' in ran.out
            and "Web search results for" in ran.out,
            ran.brief,
        )
        keys = {call.headers.get("x-goog-api-key") for call in emulator.requests if call.api == "gemini"}
        trial.check("The key of the environment got through.", keys == {"key-of-the-environment"}, keys)
    await check_out_again(trial, "codex", home, work, before)
    await _is_recorded(trial)


async def _is_recorded(trial: Trial) -> None:
    """The sentence of docs/hosts/codex.md, and what Codex prints."""
    home, work = trial.new_folder("home"), trial.new_folder("work")
    async with Emulator(script=SCRIPTS / "codex_recorded.toml") as emulator:
        url = emulator.base_url
        (home / CONFIG).parent.mkdir()
        (home / CONFIG).write_text(OWNERS_CONFIG.format(url=url), encoding="utf-8")
        await install(trial, "codex", home, work)
        variables = emulator.env() | {"CODEX_REFRESH_TOKEN_URL_OVERRIDE": f"{url}/oauth/token"}
        del variables["CODEX_ACCESS_TOKEN"]
        signing_in = ["codex", "login", "--device-auth", "--experimental_issuer", url]
        await trial.command(signing_in, variables, home=home, folder=work)
        sentence = HOSTS["codex"].sentence
        asking = ["codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
        ran = await trial.command([*asking, sentence], variables, home=home, folder=work)
        trial.check(
            "The sentence of the documentation gets a cited answer.", "Sources:" in ran.out, ran.brief
        )
        keep(f'codex exec "{sentence}"', f"{_calls(ran.err)}\n\n{ran.out}", home, trial)


def _calls(told: str) -> str:
    """Of what Codex tells on the way, the lines about calls of our server."""
    return "\n".join(line for line in told.splitlines() if line.startswith("mcp: groundwire"))
