import ArgumentParser

/// Keeps the gateway running.
struct ServiceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "service",
    abstract: "Have the gateway run by itself: from boot on, or while you are logged in.",
    discussion: .paragraphs(
      """
      There are two services, and one is enough. hrgate@USER.service is the machine's: it runs as that user, in that user's store, from boot on,
      whoever is logged in. hrgate.service is your own, in your user manager: it runs while you are logged in, or from boot on where you linger
      (loginctl enable-linger). Both begin when there is an adapter, and wait where another gateway runs on the store.

      Each command says what it does before it does it.

      EXAMPLES
        sudo hrgate service enable
        hrgate service enable --user
        hrgate service status
        sudo hrgate service disable
      """),
    subcommands: [ServiceStatusCommand.self, ServiceEnableCommand.self, ServiceDisableCommand.self],
    defaultSubcommand: ServiceStatusCommand.self)
}
