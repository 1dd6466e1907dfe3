// groundwire for OpenCode: the tool geminisearch. `groundwire install opencode` wrote this file,
// `groundwire install opencode --uninstall` removes it.
//
// It imports nothing, so OpenCode loads it without an installation from npm. The search itself is done by
// groundwire, which reads OpenCode's credentials and provider.*.options in its files.

const COMMAND = ["groundwire"]
const SECONDS = 130
const { spawn } = process.getBuiltinModule("node:child_process")

/** Run groundwire with the arguments on its standard input; what it printed, however it ended. */
function ask(query, directory, abort) {
  return new Promise((resolve, reject) => {
    const words = [...COMMAND.slice(1), "tool", "geminisearch", "-", "--json"]
    const child = spawn(COMMAND[0], words, { cwd: directory, stdio: ["pipe", "pipe", "pipe"], windowsHide: true })
    let out = ""
    let err = ""
    let stopped = ""
    const stop = (why) => {
      stopped = why
      child.kill("SIGTERM")
      setTimeout(() => child.kill("SIGKILL"), 2000).unref()
    }
    const cancel = () => stop("The search was cancelled.")
    const timer = setTimeout(() => stop(`The search took longer than ${SECONDS} seconds.`), SECONDS * 1000)
    const finish = (settle, value) => {
      clearTimeout(timer)
      abort?.removeEventListener("abort", cancel)
      settle(value)
    }
    child.stdout.setEncoding("utf8").on("data", (text) => (out += text))
    child.stderr.setEncoding("utf8").on("data", (text) => (err += text))
    child.stdin.on("error", () => {}) // it left before it read: what it said on its way out counts
    child.on("error", (error) =>
      finish(reject, new Error(`${COMMAND[0]} cannot be started (${error.code}). Run: groundwire install opencode`)),
    )
    child.on("close", () => {
      if (stopped) return finish(reject, new Error(stopped))
      if (out.trim()) return finish(resolve, out.trim())
      finish(reject, new Error(err.trim() || "groundwire ended without a word."))
    })
    if (abort?.aborted) cancel()
    else abort?.addEventListener("abort", cancel, { once: true })
    child.stdin.end(JSON.stringify({ query }))
  })
}

export const Groundwire = async ({ directory }) => ({
  tool: {
    geminisearch: {
      description:
        "Performs a web search using Google Search (via the Gemini API) and returns the results. " +
        "This tool is useful for finding information on the internet based on a query.",
      args: { query: { type: "string", description: "The search query, in natural language." } },
      async execute({ query }, context) {
        // OpenCode asks by itself for its own tools and for servers; for a plugin's tool the plugin must.
        const pattern = String(query ?? "")
        await context?.ask?.({ permission: "geminisearch", patterns: [pattern], always: ["*"], metadata: { query } })
        const printed = await ask(query ?? "", context?.directory ?? directory, context?.abort)
        let result
        try {
          result = JSON.parse(printed)
        } catch {
          throw new Error(printed)
        }
        // A failed search is a result, too: the model reads in `error` what to do.
        return { title: result.returnDisplay, output: printed, metadata: { sources: result.sources ?? [] } }
      },
    },
  },
})
