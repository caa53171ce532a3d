import ArgumentParser
import HealthDataSync
import Systemd

/// How the services stand.
struct ServiceStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Print whether the services are enabled, whether they run, and what they say.",
    discussion: .paragraphs(
      """
      Both services, unless one is named. In an image, where nothing runs, by the files whether they are enabled. Exit status: 1 where no
      systemd answers.
      """))

  @OptionGroup var options: ServiceOptions
  @Flag(help: "Print one JSON object for each service.")
  var json = false

  func run() throws {
    let scopes = options.scope.map { [$0] } ?? ServiceOptions.Scope.allCases
    var refusals: [String] = []
    for scope in scopes {
      do {
        let line = ServiceLine(try options.control(scope).condition(), scope: scope.rawValue)
        try StandardOutput.write(json ? JSONLine.text(line) : line.text)
      } catch let refusal as ServiceRefusal {
        refusals.append(refusal.description)
      } catch let failure as Failure where scopes.count > 1 {
        // Root without a name of its own asks for the user's alone.
        refusals.append(failure.message)
      }
    }
    try StandardOutput.flush()
    guard refusals.count < scopes.count else { throw Failure(refusals.first ?? "") }
    for refusal in refusals { StandardError.tell(refusal) }
  }
}

/// What `hrgate service status --json` prints for a service. The names are a promise.
struct ServiceLine: Encodable {
  var unit: String
  /// `system` or `user`.
  var scope: String
  /// `enabled`, `disabled`, `not installed` …
  var enablement: String
  /// `active`, `inactive`, `failed` …; `not running` in an image.
  var state: String
  /// The file that describes it; absent where there is none.
  var file: String?
  var process: Int32?
  /// What the gateway says of itself.
  var status: String?

  init(_ condition: ServiceCondition, scope: String) {
    unit = condition.unit
    self.scope = scope
    enablement = condition.enablement
    state = condition.state
    file = condition.file
    process = condition.process
    status = condition.status
  }

  var text: String {
    let process = process.map { " (process \($0))" } ?? ""
    return "\(unit): \(enablement), \(state)\(process)\(status.map { ": \($0)" } ?? "")".plain
  }
}
