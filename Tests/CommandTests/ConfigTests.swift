import Foundation
import Testing
import hrgate

@testable import TestSupport

/// Tests `hrgate config`, and that commands use the settings.
@Suite(.timeLimit(.minutes(30))) struct ConfigTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func environment(_ settings: String) throws -> [String: String] {
    let place = folder.path("config/hrgate")
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    try Data(settings.utf8).write(to: URL(filePath: place + "/config"))
    return ["XDG_CONFIG_HOME": folder.path("config")]
  }

  @Test func `each setting is printed with its value and origin`() throws {
    var environment = try environment("commit-interval = 5\n")
    environment["HRGATE_VALUES"] = "no"
    let objects = try Command.hrgate("config", ["--json"], environment: environment).objects()
    #expect(objects.map { $0["name"] as? String } == Setting.all.map(\.name))
    func origin(_ name: String) -> String? {
      objects.first { $0["name"] as? String == name }?["origin"] as? String
    }
    #expect(origin("commit-interval") == folder.path("config/hrgate/config") + ":1")
    #expect(origin("values") == "HRGATE_VALUES")
    #expect(origin("sync") == "default")
    let lines = try Command.hrgate("config", [], environment: environment).lines
    #expect(lines.count == Setting.all.count)
    let template = try Command.hrgate("config", ["--template"], environment: environment)
    #expect(template.output == Settings.template)
  }

  @Test func `an option overrides a variable, and a variable overrides the file`() throws {
    for place in ["option", "variable", "file"] { _ = try folder.file(place, [0]) }
    var environment = try environment("store = \(folder.path("file"))\n")
    func store(_ arguments: [String] = []) throws -> String {
      try Command.hrgate("samples", arguments, environment: environment).errors
    }
    #expect(try store().contains(folder.path("file")))
    environment["HRGATE_STORE"] = folder.path("variable")
    #expect(try store().contains(folder.path("variable")))
    #expect(try store(["--store", folder.path("option")]).contains(folder.path("option")))
  }

  @Test func `an unknown setting is a usage error with a suggestion`() throws {
    let environment = try environment("# one\nstroe = /x\n")
    for command in ["config", "samples", "run"] {
      let result = try Command.hrgate(command, [], environment: environment)
      #expect(result.status == 2, "\(result)")
      let place = folder.path("config/hrgate/config")
      #expect(result.errors == "hrgate: \(place):2: there is no setting stroe; did you mean store?\n")
    }
  }

  @Test func `two conflicting settings for the store are an error, printed after the settings`() throws {
    let environment = try environment("store = /x\nperson = anna\n")
    let result = try Command.hrgate("config", [], environment: environment)
    #expect(result.status == 2 && result.output.contains("anna"), "\(result)")
    #expect(result.errors.contains("both set the store"), "\(result)")
  }

  @Test func `no default in the help is Swift source`() throws {
    let dump = try Command.hrgate("--experimental-dump-help").output
    for match in dump.matches(of: #/"defaultValue"\s*:\s*"(?<value>[^"]*)"/#) {
      #expect(!match.value.contains("("), "\(match.value)")
    }
    let help = try Command.hrgate("stats", "--help").output
    #expect(help.contains("(default: heartRate)"))
    #expect(try Command.hrgate("simulate", "--help").output.contains("(default: 10m)"))
  }
}
