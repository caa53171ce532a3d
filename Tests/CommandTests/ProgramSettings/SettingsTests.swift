import Foundation
import Testing

@testable import TestSupport
@testable import hrgate

@Suite struct SettingsTests {
  private let folder: TemporaryFolder
  private let user: String
  private let system: String

  init() throws {
    folder = try TemporaryFolder()
    (user, system) = (folder.path("user"), folder.path("system"))
  }

  private func settings(
    user: String = "", system: String = "", _ environment: [String: String] = [:]
  ) throws -> Settings {
    try Data(user.utf8).write(to: URL(filePath: self.user))
    try Data(system.utf8).write(to: URL(filePath: self.system))
    return try Settings(
      environment: environment.merging(["HOME": "/home/anna"]) { $1 }, files: [self.user, self.system])
  }

  @Test func `the environment overrides the user's file, then the machine's, then the default`()
    throws
  {
    let settings = try settings(
      user: "# mine\n\n  commit-interval=2 \nstore = ~/a b.sqlite\n",
      system: "commit-interval = 3\nvalues = no\nwait = on\r\n", ["HRGATE_WAIT": "no", "HRGATE_SYNC": ""])
    #expect(settings.number(.commitInterval) == 2)
    #expect(settings.origin(of: .commitInterval).text == "\(user):3")
    #expect(!settings.boolean(.values) && settings.origin(of: .values).text == "\(system):2")
    #expect(!settings.boolean(.wait) && settings.origin(of: .wait).text == "HRGATE_WAIT")
    #expect(settings.boolean(.sync) && settings.origin(of: .sync) == .standard)
    #expect(settings.text(.store) == "/home/anna/a b.sqlite")
    #expect(settings.text(.adapter) == nil)
  }

  @Test func `missing files set nothing`() throws {
    let settings = try Settings(environment: [:], files: [folder.path("none"), folder.path("none/x")])
    #expect(Setting.all.allSatisfy { settings.origin(of: $0) == .standard })
  }

  private func fault(_ path: String) -> String? {
    do {
      _ = try Settings(environment: [:], files: [path])
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `a file that is not text is reported with the reason`() throws {
    let path = folder.path("config")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    #expect(fault(path) == "\(path) cannot be read: Is a directory")
    let latin = try folder.file("latin", Array("store = /a\n# B".utf8) + [0xE9])
    #expect(fault(latin) == "\(latin) cannot be read: it is not UTF-8")
    // A pipe without a writer must not block.
    let pipe = folder.path("pipe")
    try #require(mkfifo(pipe, 0o600) == 0)
    #expect(fault(pipe) == "\(pipe) cannot be read: it is not a regular file")
    let link = folder.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/null")
    #expect(fault(link) == nil)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path("loop"), withDestinationPath: folder.path("loop"))
    #expect(fault(folder.path("loop")) == nil)
  }

  @Test func `the user's file is at the path of the XDG specification`() {
    #expect(Settings.userFile(environment: ["HOME": "/h"]) == "/h/.config/hrgate/config")
    let environment = ["HOME": "/h", "XDG_CONFIG_HOME": "/c"]
    #expect(Settings.userFile(environment: environment) == "/c/hrgate/config")
    let relative = ["HOME": "/h", "XDG_CONFIG_HOME": "c"]
    #expect(Settings.userFile(environment: relative) == "/h/.config/hrgate/config")
  }

  @Test(arguments: [
    ("comit-interval = 1", ":1: there is no setting comit-interval; did you mean commit-interval?"),
    (
      "sync = yes\nCommit_Interval = 1",
      ":2: there is no setting Commit_Interval; did you mean commit-interval?"
    ),
    ("vlaues = no", ":1: there is no setting vlaues; did you mean values?"),
    ("telemetry = yes", ":1: there is no setting telemetry; list the settings with: hrgate config"),
    ("sync", ":1: a setting must have the form name = value, but there is no ="),
    ("sync = perhaps", ":1: sync must be yes or no"), ("wait =", ":1: wait must be yes or no"),
    ("commit-interval = 1s", ":1: commit-interval must be a number from 0.05 to 3600"),
    ("commit-interval = nan", ":1: commit-interval must be a number from 0.05 to 3600"),
    ("store = health.sqlite", ":1: store must be a path that begins with / or ~/"),
    ("adapter = hci0", ":1: adapter must be an address such as 00:1B:DC:0A:0B:01"),
    ("sync = yes\nsync = no", ":2: sync was already set in line 1"),
  ])
  func `an invalid setting is an error with its line and a suggestion`(text: String, message: String) {
    let fault = #expect(throws: ConfigurationError.self) { try settings(system: text) }
    #expect(fault?.description == system + message)
  }

  @Test func `an invalid value of a variable is an error`() {
    let fault = #expect(throws: ConfigurationError.self) { try settings(["HRGATE_COMMIT_INTERVAL": "0"]) }
    #expect(fault?.description == "HRGATE_COMMIT_INTERVAL: the value must be a number from 0.05 to 3600")
  }

  @Test func `the template sets nothing, and each of its settings can be uncommented`() throws {
    let file = try SettingsFile(Settings.template, named: "template")
    #expect(file.entries.isEmpty)
    let text = Settings.template.split(separator: "\n").map { line in
      line.hasPrefix("#") && !line.hasPrefix("# ") ? line.dropFirst() : line
    }.joined(separator: "\n")
    #expect(Set(try SettingsFile(text, named: "template").entries.keys) == Set(Setting.all))
  }
}
