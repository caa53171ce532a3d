import ArgumentParser
import HealthDataSync

/// Prints the settings and where each is set.
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show each setting's value, and the file or environment variable that sets it.",
    discussion: .paragraphs(
      """
      Precedence, highest first: an option of a command, the environment, ~/.config/hrgate/config, /etc/hrgate/config, the default.

      EXAMPLES
        hrgate config
        mkdir -p ~/.config/hrgate; hrgate config --template > ~/.config/hrgate/config
        HRGATE_COMMIT_INTERVAL=5 hrgate config --json
      """))

  @Flag(help: "Print a configuration file in which all settings are commented out, as a starting point.")
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
    // Report an invalid store or person as other commands do. The table above still shows where it is set.
    try StandardOutput.flush()
    do {
      _ = try StoreChoice(path: nil, person: nil, settings)
    } catch let fault as ConfigurationError {
      throw fault
    } catch {
      // Ignore a person that does not exist, because it may be added later.
    }
  }
}
