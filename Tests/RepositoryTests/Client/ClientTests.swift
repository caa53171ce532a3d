import Foundation
import Testing

@testable import TestSupport

/// Tests code of other programs that once failed with hrgate, with one page for each problem. The pages
/// compile in both language modes, with exactly the warnings that Apple's headers cause, and run.
@Suite struct ClientTests {
  @Test(arguments: LanguageMode.allCases)
  func `the pages compile, with the warnings that Apple's headers would give`(mode: LanguageMode) throws {
    let compilation = try ClientPackage.compiled(mode)
    var unexpected = compilation.diagnostics
    for source in ClientPackage.sources {
      for expected in try Compilation.expected(of: source, in: mode) {
        let found = unexpected.filter {
          $0.file == expected.file && $0.line == expected.line && $0.kind == expected.kind
            && $0.message.hasPrefix(expected.message)
        }
        #expect(!found.isEmpty, "missing diagnostic: \(expected)")
        unexpected.subtract(found)
      }
    }
    #expect(unexpected.isEmpty, "\(unexpected.map(\.description).sorted().joined(separator: "\n"))")
    #expect(compilation.status == 0, "\(compilation.output.suffix(2000))")
  }

  @Test(arguments: ClientPackage.pages, LanguageMode.allCases)
  func `a page runs`(page: String, mode: LanguageMode) throws {
    let program = try ClientPackage.compiled(mode).program
    let home = try TemporaryFolder()
    let run = try Tool.run(
      program.path, [page], environment: ["XDG_DATA_HOME": home.url.path, "SWIFT_BACKTRACE": "enable=no"])
    #expect(run.status == 0 && run.text == "ok \(page)\n", "\(run.text)")
  }

  /// SwiftPM must accept the manifest in the document, and the products of hrgate that it names must exist.
  @Test(arguments: ["docs/swift.md", "packaging/hrgate-dev/README.Debian"])
  func `the package manifest in a document is valid`(document: String) throws {
    let text = try String(contentsOf: ClientPackage.repository.appending(path: document), encoding: .utf8)
    let block = try #require(text.firstMatch(of: #/\n *\/\/ swift-tools-version(?:.*\n)+? *\)\n/#))
    let folder = try TemporaryFolder()
    let lines = block.output.split(separator: "\n")
    let margin = lines.first.map { $0.prefix { $0 == " " }.count } ?? 0
    _ = try folder.file(
      "Package.swift", Array(lines.map { $0.dropFirst(margin) }.joined(separator: "\n").utf8))
    let manifest = try Tool.run("swift", ["package", "--package-path", folder.url.path, "dump-package"])
    #expect(manifest.status == 0 && manifest.text.contains("\"executable\""), "\(manifest.text)")
    let ours = try String(
      contentsOf: ClientPackage.repository.appending(path: "Package.swift"), encoding: .utf8)
    for product in block.output.matches(of: #/product\(name: "(\w+)", package: "hrgate"/#) {
      #expect(ours.contains(".library(name: \"\(product.output.1)\""))
    }
    #expect(block.output.contains("product("))
  }

  /// Builds a package that depends on this one, as another developer would.
  @Test(
    .enabled(
      if: ProcessInfo.processInfo.environment["HRGATE_LONG"] != nil, "builds the package again: long run only"
    ),
    arguments: LanguageMode.allCases)
  func `a package that depends on hrgate builds and runs the pages`(mode: LanguageMode) throws {
    let build = try Tool.run(
      "swift",
      [
        "run", "--package-path", ClientPackage.root.path, "--scratch-path",
        ClientPackage.repository.appending(path: ".build/client").path, "Client",
      ], environment: ["CLIENT_SWIFT": "\(mode.rawValue)", "SWIFT_BACKTRACE": "enable=no"])
    #expect(build.status == 0, "\(build.text.suffix(2000))")
    for page in ClientPackage.pages { #expect(build.text.contains("ok \(page)\n")) }
  }
}
