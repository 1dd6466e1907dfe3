"""What groundwire promises about searching and about the agent, a sentence each.

Every test in this folder names one of these with `@requirement(...)`; `test_manifest` fails when a
requirement has no test or a test names no requirement.
"""

from __future__ import annotations

REQUIREMENTS = {
    "answer:cited": "An answer carries `[n]` markers and a source list; number n is source n.",
    "answer:any-language": "Markers stand at the right place in text of any script.",
    "answer:nothing-found": "A query nobody has an answer to gets a friendly sentence, not an error.",
    "answer:same-shape": "Whichever provider answers, the JSON has the same keys.",
    "query:invalid": "A missing, blank, overlong or broken query is refused without a network call.",
    "query:cleaned": "Control characters and surrounding spaces are not sent.",
    "tool:arguments": "A search tool refuses extra arguments with the documented words and type.",
    "tool:names": "The five tools exist and each asks its own provider.",
    "tool:geminisearch-config": "provider.geminisearch.options wins for the tool geminisearch.",
    "credential:missing": "A missing credential is told by its own type, without a network call.",
    "credential:first": "Without a provider, the first one with a credential is asked, in a fixed order.",
    "credential:renewed": "A refused ChatGPT token is renewed once and the question asked again.",
    "credential:not-forwarded": "A redirect to another host is refused and gets no credential.",
    "failure:typed": "Every provider failure has the provider's own type, a message and a next step.",
    "failure:passing": "A passing failure is tried again; the person sees only the answer.",
    "failure:bounded": "An answer of 30 MB is refused without being held in memory.",
    "failure:not-searched": "An answer that never searched is a failure.",
    "failure:timeout": "A search that takes too long ends with a clear message.",
    "wish:max-sources": "At most so many sources are given, and markers of the others are gone.",
    "wish:language-region": "Language and region reach the provider.",
    "wish:raw": "The provider's metadata comes in a separate field, only when asked for.",
    "wish:resolve-links": "Google's redirect links become the pages' addresses; a link that fails stays.",
    "stream:text-then-result": "A stream gives text as it arrives and ends with the result a search gives.",
    "stream:cancelled": "Leaving a stream early stops the request.",
    "agent:task": "The agent searches, writes the file the task names, and keeps the citations in it.",
    "agent:search-alone": "google_web_search is a request of its own, with only googleSearch in its tools.",
    "agent:signatures": "Thought signatures go back as they came; a Gemini 3 model works, too.",
    "agent:approval": "Without a terminal nothing changes unless the mode allows it; the exit code says so.",
    "agent:shell": "Commands are offered only with --shell, asked for unless yolo, and see no secret.",
    "agent:events": "--json prints events one per line, the outcome last, and nothing else.",
    "session:kept": "A run is kept in the state folder, for its owner alone, without any credential in it.",
    "session:listed": "Sessions are listed with folder, task, outcome and turns; broken ones are named.",
    "session:resumed": "A killed run goes on with --resume; what it had done is not done again.",
    "session:busy": "A session that another process works on is refused.",
    "session:shown": "A session is shown with its diffs and sources, also as a page.",
    "session:undone": "What a run changed is taken back, unless someone changed it since.",
    "agent:failure": "What stops a run is told on standard error and by the exit code.",
    "cli:json": "--json prints the result object on stdout, on failure too, and nothing else.",
    "cli:exit-codes": "The exit code says what kind of failure it was.",
    "cli:plain-in-a-pipe": "In a pipe there are no escape sequences, whatever the answer holds.",
    "cli:all": "--provider all asks everyone who has a credential and labels the answers.",
    "cli:local": "--provider local answers from a folder with citations, without key or network.",
    "cli:reports-broken-files": "A broken configuration file is reported and the search goes on.",
}
