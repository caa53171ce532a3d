import ExternalStores
import Foundation
import HealthDataSync
import HealthKit
import Testing

@testable import TestSupport

/// Tests samples that are written again: changed ones, and all of them after a reset.
@Suite(.timeLimit(.minutes(30))) struct ChangeTests {
  @Test(arguments: FilesAddress.Format.allCases)
  func `a changed sample has another line, and the last line is valid`(
    format: FilesAddress.Format
  ) async throws {
    let place = try Place()
    let store = try place.store("format=\(format.rawValue)&age=1d")
    let samples = (0..<3).map { heartRate(after: Double($0)) }
    try await store.open()
    #expect(try await store.upload(ChangePage(samples)) == [])
    #expect(try await store.upload(ChangePage(samples)) == [])
    let changed = [samples[1], samples[1]]
    #expect(try await store.upload(ChangePage(changed, supersedes: true)) == [])
    await store.close()
    let lines = try place.lines(format == .omh ? "datapoints" : "samples").dropFirst(format == .csv ? 1 : 0)
    #expect(lines.count == 4)
    #expect(lines.last?.contains(samples[1].uuid.uuidString) == true)
  }

  @Test(arguments: [5, 300]) func `after a reset everything is written again once, also deletions`(
    count: Int
  ) async throws {
    let place = try Place()
    let page = ChangePage((0..<count).map { heartRate(after: Double($0)) }, deleted: [UUID()])
    let store = try place.store()
    try await store.open()
    for _ in 0..<2 { #expect(try await store.upload(page) == []) }
    try await store.reset()
    for _ in 0..<2 { #expect(try await store.upload(page) == []) }
    await store.close()
    #expect(try place.lines().count == 2 * (count + 1))
    #expect(place.names() == ["samples-20261121-000001.ndjson", "samples-20261121-000002.ndjson"])
    // A later store reads from the index that the samples were written, and does not write them again.
    let later = try place.store()
    try await later.open()
    #expect(try await later.upload(page) == [])
    await later.close()
    #expect(try place.lines().count == 2 * (count + 1))
  }

  @Test func `a folder that is not open is not reset`() async throws {
    let store = try Place().store()
    #expect(await storeError { try await store.reset() }?.outlook == .passing)
  }
}
