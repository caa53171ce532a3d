import Foundation
import Testing

@Suite struct LayerTests {
  @Test func `every target has a layer, and every layer's target exists`() throws {
    let targets = try Architecture.roots.flatMap { root in
      try FileManager.default.contentsOfDirectory(
        at: SourceFile.root.appending(path: root), includingPropertiesForKeys: [.isDirectoryKey]
      ).filter { try $0.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true }
    }
    #expect(Set(targets.map(\.lastPathComponent)) == Set(Architecture.layers.keys))
  }

  @Test func `a target imports only from layers below its own`() {
    for file in SourceFile.all {
      guard let own = Architecture.layers[file.target] else { continue }
      for module in file.imports {
        guard let layer = Architecture.layers[module] else { continue }
        #expect(layer < own, "\(file) imports \(module), which is not below \(file.target)")
      }
    }
  }

  @Test func `a third-party module is imported only by its owners`() {
    for file in SourceFile.all {
      for module in file.imports
      where Architecture.layers[module] == nil && !Architecture.toolchain.contains(module) {
        #expect(Architecture.owners[module]?.contains(file.target) == true, "\(file) imports \(module)")
      }
    }
  }

  @Test func `the radio targets and the health targets do not import each other`() {
    for rule in Architecture.forbidden {
      for file in SourceFile.all where file.target == rule.target {
        #expect(rule.imports.isDisjoint(with: file.imports), "\(file): \(rule.reason)")
      }
    }
  }

  @Test func `the manifest declares every target of the layer table`() throws {
    let manifest = try String(contentsOf: SourceFile.root.appending(path: "Package.swift"), encoding: .utf8)
    for (target, _) in Architecture.layers {
      #expect(manifest.contains("\"\(target)\""), "\(target) is in the layer table and not in the manifest")
    }
  }
}
