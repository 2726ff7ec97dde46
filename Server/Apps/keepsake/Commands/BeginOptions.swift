import ArgumentParser

/// For commands with which people may begin an installation before they first start the server.
struct BeginOptions: ParsableArguments {
    @Flag(help: "Begin an installation if there is none. Without it, that is an error: --data or --database may be mistyped.")
    var beginInstallation = false

    var mode: Backend.Mode { beginInstallation ? .firstTool : .tool }
}
