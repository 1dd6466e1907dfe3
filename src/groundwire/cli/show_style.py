"""How the page of a session looks, in light and in dark."""

STYLE = """
:root { color-scheme: light dark;
  --ground: #f6f7f9; --card: #ffffff; --ink: #1b1f24; --soft: #5c6773; --line: #dfe3e8; --accent: #2457c5;
  --ok: #1a7f43; --ok-ground: #e3f5ea; --bad: #b3261e; --bad-ground: #fdecea;
  --add: #116329; --add-ground: #e6f6ea; --cut: #a0111f; --cut-ground: #fdebec; --at: #5b4bc4;
  --code: #f1f3f6; }
@media (prefers-color-scheme: dark) { :root {
  --ground: #0f1216; --card: #171b21; --ink: #e4e8ee; --soft: #93a0b0; --line: #2a313b; --accent: #86aefc;
  --ok: #62d28b; --ok-ground: #12301f; --bad: #ff8a80; --bad-ground: #3a1917;
  --add: #7ee2a0; --add-ground: #10301c; --cut: #ff9aa2; --cut-ground: #3a171b; --at: #b3a8ff;
  --code: #1f252d; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 56rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }







re, .args, .diff { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
a { color: var(--accent); }
.brand { margin: 0 0 .5rem; font-weight: 700; letter-spacing: .02em; color: var(--accent); }
header dl { display: flex; flex-wrap: wrap; gap: .35rem 1.75rem; margin: 0; }
header dt { font-size: .75rem; color: var(--soft); } header dd { margin: 0; font-size: .875rem;
  overflow-wrap: anywhere; }
.run { margin-top: 2rem; }
.task { border-left: 4px solid var(--accent); padding: .1rem 0 .1rem 1rem; margin-bottom: 1.25rem; }
.task h1 { margin: 0; font-size: 1.35rem; line-height: 1.35; white-space: pre-wrap; overflow-wrap: anywhere; }
.label { margin: 0 0 .15rem; font-size: .75rem; color: var(--soft); }
.said { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .9rem 1.1rem;
  margin: .75rem 0; overflow-wrap: anywhere; }
.said > :first-child { margin-top: 0; } .said > :last-child { margin-bottom: 0; }
.said pre { background: var(--code); padding: .7rem; border-radius: 6px; overflow-x: auto; }
.said code { background: var(--code); padding: .1em .3em; border-radius: 4px; font-size: .9em; }
.said pre code { background: none; padding: 0; }
.said table { border-collapse: collapse; } .said th, .said td { border: 1px solid var(--line);
  padding: .3rem .6rem; }
.mark { font-size: .75em; vertical-align: super; line-height: 0; text-decoration: none; margin-left: .1em;
  padding: 0 .3em; border-radius: 4px; background: var(--code); }
.thought { color: var(--soft); font-size: .9rem; margin: .5rem 0; }
.thought p { white-space: pre-wrap; margin: .3rem 0 0 1rem; font-style: italic; }
.useless { color: var(--bad); font-size: .9rem; margin: .5rem 0; }
.call { margin: .5rem 0; border: 1px solid var(--line); border-radius: 10px; background: var(--card);
  overflow: hidden; }
.call > details > summary { display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem .6rem;
  cursor: pointer;
  padding: .5rem .8rem; list-style: none; font-size: .875rem; }
.call > details > summary::-webkit-details-marker { display: none; }
.call > details > summary:hover { background: var(--code); }
.call > details[open] > summary { border-bottom: 1px solid var(--line); }
.call > details > p, .call > details > pre, .call > details > img { margin: .5rem .8rem; }
.call pre { white-space: pre-wrap; overflow-wrap: anywhere; max-height: 26rem; overflow: auto;
  font-size: .8125rem; line-height: 1.5; }
.call details > pre { background: var(--code); padding: .6rem .7rem; border-radius: 6px; }
.call img { max-width: calc(100% - 1.6rem); border-radius: 6px; }
.sign { font-weight: 700; } .sign.ok { color: var(--ok); } .sign.bad { color: var(--bad); }
.name { font-weight: 600; }
.args { color: var(--soft); font-size: .8125rem; overflow-wrap: anywhere; flex: 1 1 12rem; min-width: 0; }
.gave { margin-left: auto; } .time { color: var(--soft); font-variant-numeric: tabular-nums; }
.tag { color: var(--bad); font-size: .75rem; }
.diff { margin: 0; border-top: 1px solid var(--line); font-size: .8125rem; line-height: 1.5; }
.diff figcaption { padding: .3rem .8rem; color: var(--soft); border-bottom: 1px solid var(--line); }
.diff pre { margin: 0; max-height: 32rem; } .diff span { display: block; padding: 0 .8rem;
  min-height: 1.5em; }
.diff .add { color: var(--add); background: var(--add-ground); } .diff .cut { color: var(--cut);
  background: var(--cut-ground); }
.diff .at { color: var(--at); }
.outcome { margin: 1rem 0; display: flex; flex-wrap: wrap; gap: .4rem .8rem; align-items: center; }
.outcome p { flex-basis: 100%; margin: 0; }
.badge { font-size: .8125rem; font-weight: 600; padding: .15rem .65rem; border-radius: 999px; }
.badge.ok { color: var(--ok); background: var(--ok-ground); } .badge.bad { color: var(--bad);
  background: var(--bad-ground); }
.facts { color: var(--soft); font-size: .875rem; }
.sources h2 { font-size: 1rem; margin: 1.25rem 0 .4rem; } .sources ol { margin: 0; padding-left: 1.6rem; }
.sources li { overflow-wrap: anywhere; } .address { color: var(--soft); font-size: .8125rem; }
footer { margin-top: 3rem; color: var(--soft); font-size: .8125rem; }
@media print { .call pre, .diff pre { max-height: none; } }
"""
