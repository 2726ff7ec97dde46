import ArgumentParser

/// The option of commands that people may use before they first start the server, and that can begin an installation.
struct BeginOptions: ParsableArguments {
    @Flag(help: "Begin an installation if there is none. Without it, that is an error: --data or --database may be mistyped.")
    var beginInstallation = false

    var mode: Backend.Mode { beginInstallation ? .firstTool : .tool }
}
