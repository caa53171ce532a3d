import Foundation
import Testing

@testable import TestSupport

/// Tests `hrgate derive` on a replayed store and on a store that an export was imported into.
@Suite struct DeriveTests {
  private func derive(_ path: String, _ arguments: String...) throws -> [String: Int] {
    let object = try #require(
      Command.hrgate(["derive", "--store", path, "--json"] + arguments).objects().first)
    return object.compactMapValues { $0 as? Int }
  }

  /// Returns the samples of a type without the values that differ between stores.
  private func figures(_ path: String, _ type: String) throws -> [String] {
    try Command.hrgate("samples", "--store", path, "--type", type, "--json").objects().map { sample in
      var sample = sample
      var metadata = sample["metadata"] as? [String: Any] ?? [:]
      #expect(metadata.removeValue(forKey: "HKMetadataKeySyncVersion") != nil)
      sample["metadata"] = metadata
      sample["uuid"] = nil
      let data = try JSONSerialization.data(withJSONObject: sample, options: .sortedKeys)
      return String(decoding: data, as: UTF8.self)
    }
  }

  @Test
  func `a replay and the import of its export have the same figures, and deriving again changes nothing`()
    async throws
  {
    let folder = try TemporaryFolder()
    let (log, export) = (folder.path("strap.btsnoop"), folder.path("export.xml"))
    let (replayed, imported) = (folder.path("a.sqlite"), folder.path("b.sqlite"))
    _ = try Command.hrgate("simulate", "--straps", "1", "--duration", "20m", "--seed", "3", "-o", log)
    _ = try Command.hrgate("replay", log, "--store", replayed)
    // The export contains only the beats and heart rates, because no figures were derived yet.
    _ = try Command.hrgate("export", "--store", replayed, "--format", "apple-health-xml", "-o", export)
    _ = try Command.hrgate("import", export, "--store", imported)
    let first = try derive(replayed)
    #expect((first["written"] ?? 0) >= 3 && first["replaced"] == 0 && first["withdrawn"] == 0)
    #expect(try derive(imported) == first)
    for type in ["heartRateVariabilitySDNN", "restingHeartRate"] {
      let expected = try figures(replayed, type)
      #expect(try !expected.isEmpty && figures(imported, type) == expected)
    }
    // An export that also contains the derived figures transfers them, and they are correct.
    let complete = folder.path("c.sqlite")
    _ = try Command.hrgate(
      "export", "--store", replayed, "--format", "apple-health-xml", "-o", folder.path("all.xml"))
    _ = try Command.hrgate("import", folder.path("all.xml"), "--store", complete)
    let again = try derive(complete)
    #expect(again["unchanged"] == first["written"] && again["written"] == 0 && again["replaced"] == 0)
    // Replaying a stored log again changes nothing.
    _ = try Command.hrgate("replay", log, "--store", replayed)
    #expect(try derive(replayed).values.allSatisfy { $0 == 0 })
    let rederived = try derive(replayed, "--from", "2001-01-01T00:00:00Z")
    #expect(rederived["unchanged"] == first["written"] && rederived["written"] == 0)
  }

  @Test func `contradictory options are a usage error`() throws {
    for arguments in [
      ["--to", "2026-11-21T00:00:00Z"], ["--from", "2026-11-21T00:00:00Z", "--to", "2026-11-20T00:00:00Z"],
    ] {
      #expect(try Command.hrgate(["derive"] + arguments).status == 2)
    }
    #expect(try Command.hrgate("derive", "--store", "/nowhere/s.sqlite").status == 1)
  }
}
