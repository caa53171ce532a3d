import Foundation
import Testing

/// Checks that the code in the documents and docstrings is compiled, and run if possible: each block also
/// occurs in a file of this target.
@Suite struct CodeBlockTests {
  private static let package = URL(filePath: #filePath).appending(path: "../../../..").standardized

  private static let blocks: [CodeBlock] = {
    let folder = package.appending(path: "Sources/HealthKit/Documentation.docc")
    let pages = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let documents = (pages ?? []) + [package.appending(path: "docs/swift.md")]
    return documents.flatMap { (try? CodeBlock.all(in: $0)) ?? [] }
  }()

  /// The targets whose docstrings are checked.
  private static let targets = [
    "BlueZ", "Gateway", "HealthKit", "HeartRateVariability", "PacketLog", "PacketReplay", "StrapSimulator",
  ]

  private static let docstringBlocks: [CodeBlock] = targets.flatMap { target in
    let folder = package.appending(path: "Sources/\(target)")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let sources = (files?.allObjects ?? []).compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
    return sources.flatMap { (try? CodeBlock.all(inDocstringsOf: $0)) ?? [] }
  }

  /// The normalized lines of the Swift files in this folder, which contain the code blocks.
  private static let programs: [[String]] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    let files = try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).compactMap { try? String(contentsOf: $0, encoding: .utf8) }.map {
      CodeBlock.normalized($0.split(separator: "\n"))
    }
  }()

  @Test func `every page that shows code has code blocks`() {
    let documents = Set(Self.blocks.map(\.document))
    #expect(
      documents == [
        "swift.md", "HealthKit.md", "Permission.md", "GettingStarted.md", "Saving.md", "Querying.md",
        "Statistics.md", "Series.md", "Testing.md",
      ])
  }

  @Test(arguments: blocks)
  func `every code block of a document is compiled verbatim`(block: CodeBlock) {
    #expect(!block.lines.isEmpty)
    #expect(Self.programs.contains { !$0.ranges(of: block.lines).isEmpty })
  }

  @Test func `the entry points of the libraries have code blocks`() {
    let documents = Set(Self.docstringBlocks.map(\.document))
    #expect(
      documents.isSuperset(of: [
        "HeartRateGateway.swift", "GatewayState.swift", "MonitorPairing.swift", "MonitorRegistry.swift",
        "RRSegment.swift", "Cleaning.swift", "Window.swift", "VariabilityMeasures.swift",
        "HeartRateZones.swift", "PacketLogFile.swift", "HCIObserver.swift", "LinkLayerObserver.swift",
        "BTSnoopWriter.swift", "HKHealthStore+Configuration.swift", "HKValidationError.swift",
        "SimulatedRadio.swift", "PacketReplayCentral.swift", "BlueZCentral.swift",
      ]))
  }

  @Test(arguments: docstringBlocks)
  func `every code block of a docstring is compiled verbatim`(block: CodeBlock) {
    #expect(!block.lines.isEmpty)
    #expect(Self.programs.contains { !$0.ranges(of: block.lines).isEmpty })
  }
}
