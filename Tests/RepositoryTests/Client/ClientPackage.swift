import Foundation

/// The package beside this file.
///
/// The tests compile its pages with the compiler alone, against the modules and objects that were built for
/// the tests. What `import HealthKit` gives a program outside is the same, and it takes seconds, where a
/// package that depends on this one builds all of it once more; that is done in the long run.
enum ClientPackage {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Client")
  static let repository = root.appending(path: "../../../..").standardized
  private static let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()

  /// By their names, which are those of their files.
  static let pages = files(in: "Pages").map { $0.deletingPathExtension().lastPathComponent }
  static var sources: [URL] { files(in: ".") + files(in: "Pages") }

  private static func files(in folder: String) -> [URL] {
    let folder = root.appending(path: "Sources/Client").appending(path: folder).standardized
    let all = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return (all ?? []).filter { $0.pathExtension == "swift" }.sorted { $0.path < $1.path }
  }

  /// Compiled once for each mode.
  static func compiled(_ mode: LanguageMode) throws -> Compilation {
    try (mode == .five ? five : six).get()
  }

  private static let five = Result { try compile(.five) }
  private static let six = Result { try compile(.six) }

  private static func compile(_ mode: LanguageMode) throws -> Compilation {
    let program = products.appending(path: "client-in-swift-\(mode.rawValue)")
    var arguments = ["-swift-version", "\(mode.rawValue)", "-module-name", "Client", "-parse-as-library"]
    arguments += ["-I", products.appending(path: "Modules").path]
    // The modules of C that HealthKit's storage imports.
    let checkouts = products.appending(path: "../../checkouts").standardized
    for folder in [
      repository.appending(path: "Sources/CSQLite"), repository.appending(path: "Sources/COpenSSL"),
      checkouts.appending(path: "GRDB.swift/Sources/GRDBSQLite"),
    ] {
      arguments += ["-Xcc", "-fmodule-map-file=\(folder.appending(path: "module.modulemap").path)"]
    }
    arguments += ["-o", program.path]
    arguments += sources.map(\.path)
    arguments += try objects()
    let output = try Tool.run("swiftc", arguments)
    return Compilation(status: output.status, output: output.text, program: program)
  }

  /// What a program that uses HealthKit and HealthDataSync and nothing else of ours is linked with: the
  /// objects of an example but for its own, and those of HealthDataSync.
  private static func objects() throws -> [String] {
    let list = try String(
      contentsOf: products.appending(path: "HeartRateReader.product/Objects.LinkFileList"), encoding: .utf8)
    let own = list.split(separator: "\n").map(String.init).filter {
      !$0.contains("/HeartRateReader.build/") && !$0.contains("/TerminalEvents.build/")
    }
    let sources = repository.appending(path: "Sources/HealthDataSync")
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    // Those of its sources: the folder may hold objects of files that are gone.
    let added = (files?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }.map
    {
      products.appending(path: "HealthDataSync.build/\($0.lastPathComponent).o").path
    }
    return own + added
  }
}
