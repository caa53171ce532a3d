import Foundation

/// The client package next to this file.
///
/// The tests compile its pages with the compiler alone, against the modules and objects that were built for
/// the tests. Programs outside see the same `import HealthKit`, and this takes seconds. A package that
/// depends on this one builds all of it again; only the long run does that.
enum ClientPackage {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Client")
  static let repository = root.appending(path: "../../../..").standardized
  private static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()

  /// Names of the pages, which are the names of their files.
  static let pages = files(in: "Pages").map { $0.deletingPathExtension().lastPathComponent }
  static var sources: [URL] { files(in: ".") + files(in: "Pages") }

  private static func files(in folder: String) -> [URL] {
    let folder = root.appending(path: "Sources/Client").appending(path: folder).standardized
    let all = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return (all ?? []).filter { $0.pathExtension == "swift" }.sorted { $0.path < $1.path }
  }

  /// Returns the compilation in a language mode. Each mode is compiled once.
  static func compiled(_ mode: LanguageMode) throws -> Compilation {
    try (mode == .five ? five : six).get()
  }

  private static let five = Result { try compile(.five) }
  private static let six = Result { try compile(.six) }

  private static func compile(_ mode: LanguageMode) throws -> Compilation {
    let program = products.appending(path: "client-in-swift-\(mode.rawValue)")
    var arguments = ["-swift-version", "\(mode.rawValue)", "-module-name", "Client", "-parse-as-library"]
    arguments += ["-I", products.appending(path: "Modules").path]
    // C modules that HealthKit's storage imports.
    let checkouts = products.appending(path: "../../checkouts").standardized
    for folder in [
      repository.appending(path: "Sources/CSQLite"), repository.appending(path: "Sources/COpenSSL"),
      checkouts.appending(path: "GRDB.swift/Sources/GRDBSQLite"),
      // SwiftPM writes the module map of a C target with sources.
      products.appending(path: "CEncryptedFiles.build"),
    ] {
      arguments += ["-Xcc", "-fmodule-map-file=\(folder.appending(path: "module.modulemap").path)"]
    }
    arguments += ["-o", program.path]
    arguments += sources.map(\.path)
    arguments += try objects()
    let output = try Tool.run("swiftc", arguments)
    return Compilation(status: output.status, output: output.text, program: program)
  }

  /// Returns the objects to link with a program that uses only HealthKit and HealthDataSync: the objects of
  /// an example without its own, plus those of HealthDataSync.
  private static func objects() throws -> [String] {
    let list = try String(
      contentsOf: products.appending(path: "HeartRateReader.product/Objects.LinkFileList"), encoding: .utf8)
    let own = list.split(separator: "\n").map(String.init).filter {
      !$0.contains("/HeartRateReader.build/") && !$0.contains("/TerminalEvents.build/")
    }
    let sources = repository.appending(path: "Sources/HealthDataSync")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    // Only objects of existing sources: the build folder may contain objects of deleted files.
    let added = (files?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map
    {
      products.appending(path: "HealthDataSync.build/\($0.lastPathComponent).o").path
    }
    return own + added
  }
}
