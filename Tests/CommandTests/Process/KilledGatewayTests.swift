import HealthStorage
import Testing

@testable import TestSupport

/// Tests that a store accepts another gateway after its gateway was killed.
@Suite struct KilledGatewayTests {
  @Test(.timeLimit(.minutes(30)))
  func `a killed gateway no longer counts, and another one can take over`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/health.sqlite"
      let database = try SampleDatabase.open(at: path, .none)
      let gateway = try ClientProcess(["gateway", path], output: directory + "/said")
      #expect(try await eventually { try gateway.lines() == ["ready"] })
      #expect(database.hasGateway)
      #expect(throws: StorageError.self) { try database.becomeGateway() }
      gateway.kill()
      #expect(!database.hasGateway)
      try database.becomeGateway()
    }
  }
}
