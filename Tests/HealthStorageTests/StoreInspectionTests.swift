import Foundation
import Testing

@testable import HealthStorage
@testable import TestSupport

/// A store as others find it.
@Suite struct StoreInspectionTests {
  private func mode(_ path: String, _ mode: Int) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  @Test func `a folder that only its owner enters shields what is in it, however deep`() throws {
    let folder = try TemporaryFolder()
    let inner = folder.path("inner")
    try FileManager.default.createDirectory(atPath: inner, withIntermediateDirectories: false)
    let path = try folder.file("inner/health.sqlite", [])
    try mode(folder.url.path, 0o755)
    try mode(inner, 0o755)
    #expect(!StoreInspection.look(at: path).isShielded)
    try mode(folder.url.path, 0o700)
    #expect(StoreInspection.look(at: path).isShielded)
    try mode(folder.url.path, 0o711)
    #expect(!StoreInspection.look(at: path).isShielded)
    try mode(inner, 0o700)
    #expect(StoreInspection.look(at: path).isShielded)
    // Reached by another name it lies where it lies.
    let link = folder.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: inner)
    #expect(StoreInspection.look(at: link + "/health.sqlite").isShielded)
  }
}
