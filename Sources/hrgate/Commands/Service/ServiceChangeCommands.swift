import ArgumentParser
import Glibc
import Systemd

/// Has the gateway start by itself.
struct ServiceEnableCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enable",
    abstract: "Have the gateway run from now on, and after each start.",
    discussion: .paragraphs(
      """
      Writes the unit where no package brought it, has systemd read it, and enables and starts the service. Each file and each command is named first.
      """))

  @OptionGroup var options: ServiceOptions

  func run() throws {
    try ServiceChange(options, "enable").perform { control in
      // Two gateways on a store are no harm, and no use either: one would wait for the other for ever.
      if let (other, scope) = try options.other(), other.isEnabled {
        let remedy = "hrgate service disable --\(scope)"
        throw ServiceRefusal(
          "\(other.scope.unit) of \(other.owner.name) is enabled already, and one is enough: \(remedy) ends it"
        )
      }
      return try control.enabling()
    }
    let control = try options.control(options.chosen)
    try StandardOutput.write(Self.outcome(control))
    try StandardOutput.flush()
    if case .user = control.scope, let note = control.lingerNote() { StandardError.tell(note) }
  }

  private static func outcome(_ control: ServiceControl) -> String {
    switch control.scope {
    case .system:
      "\(control.scope.unit) is enabled: from boot on it follows the monitors of \(control.owner.name)"
    case .user: "\(control.scope.unit) is enabled: it follows your monitors while you are logged in"
    }
  }
}

/// Has it start no more.
struct ServiceDisableCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "disable", abstract: "End the service, and have it start no more; its unit stays.")

  @OptionGroup var options: ServiceOptions

  func run() throws {
    try ServiceChange(options, "disable").perform { try $0.disabling() }
    try StandardOutput.write("\(options.control(options.chosen).scope.unit) is disabled")
  }
}

/// Says each step, and then does it.
private struct ServiceChange {
  let options: ServiceOptions
  let command: String

  init(_ options: ServiceOptions, _ command: String) {
    self.options = options
    self.command = command
  }

  func perform(_ plan: (ServiceControl) throws -> [ServiceStep]) throws {
    let control = try options.control(options.chosen, findsStore: command == "enable")
    if case .system = control.scope, options.image == nil, geteuid() != 0 {
      throw Failure("only root changes the machine's services: sudo hrgate service \(command) --system")
    }
    if case .user = control.scope, !control.owner.isCurrent {
      throw Failure("your own service is changed without sudo: hrgate service \(command) --user")
    }
    do {
      for step in try plan(control) {
        try StandardOutput.write(step.sentence.plain)
        try StandardOutput.flush()
        try step.perform()
      }
    } catch let refusal as ServiceRefusal {
      throw Failure(refusal.description)
    }
  }
}
