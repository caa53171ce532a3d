import ArgumentParser
import HealthDataSync

/// What is set.
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Print what is set, and where.",
    discussion: .paragraphs(
      """
      An option of a command counts more than the environment, that more than ~/.config/hrgate/config, that more than /etc/hrgate/config, and
      that more than the default.

      EXAMPLES
        hrgate config
        mkdir -p ~/.config/hrgate; hrgate config --template > ~/.config/hrgate/config
        HRGATE_COMMIT_INTERVAL=5 hrgate config --json
      """))

  @Flag(help: "Print a file in which everything is explained and nothing is set.")
  var template = false
  @Flag(help: "Print one JSON object for each setting.")
  var json = false

  func validate() throws {
    if template, json { throw ValidationError("--template and --json cannot be used together.") }
  }

  func run() throws {
    guard !template else { return try StandardOutput.write(String(Settings.template.dropLast())) }
    let settings = try Settings.current
    let lines = Setting.all.map { SettingLine($0, settings) }
    for line in try json ? lines.map({ try JSONLine.text($0) }) : SettingLine.table(lines) {
      try StandardOutput.write(line)
    }
    // What every other command refuses is no less wrong here, and is shown above.
    try StandardOutput.flush()
    do {
      _ = try StoreChoice(path: nil, person: nil, settings)
    } catch let fault as ConfigurationFault {
      throw fault
    } catch {
      // A person may be added yet.
    }
  }
}
