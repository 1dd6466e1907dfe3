"""One verb, `send(Request) -> Response`, in layers: Retry( CodeAssist( Auth( Http )))."""
