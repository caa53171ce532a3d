import Foundation

/// The package in the folder `Client`, which uses hrgate as another developer would.
///
/// The tests compile its pages with the compiler alone, against the modules and objects that were built for
/// the tests. This takes seconds. Building a package that depends on this one compiles all of it again; only
/// the long run does that.
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
    // The C modules that HealthKit's storage imports.
    let checkouts = products.appending(path: "../../checkouts").standardized
    for folder in [
      repository.appending(path: "Sources/CSQLite"), repository.appending(path: "Sources/COpenSSL"),
      checkouts.appending(path: "GRDB.swift/Sources/GRDBSQLite"),
      // SwiftPM generates the module map of a C target that has source files.
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

  /// Returns the objects to link with a program that uses only HealthKit and HealthDataSync: the objects that
  /// an example links, without its own objects, plus those of HealthDataSync.
  private static func objects() throws -> [String] {
    let list = try String(
      contentsOf: products.appending(path: "HeartRateReader.product/Objects.LinkFileList"), encoding: .utf8)
    let own = list.split(separator: "\n").map(String.init).filter {
      !$0.contains("/HeartRateReader.build/") && !$0.contains("/TerminalEvents.build/")
    }
    let sources = repository.appending(path: "Sources/HealthDataSync")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    // Link only objects of existing source files, because the build folder may contain objects of deleted
    // files.
    let added = (files?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map
    {
      products.appending(path: "HealthDataSync.build/\($0.lastPathComponent).o").path
    }
    return own + added
  }
}
