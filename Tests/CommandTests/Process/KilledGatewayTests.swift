import HealthStorage
import Testing

@testable import TestSupport

/// The place of a store's gateway is free again when its program is gone, however it went.
@Suite struct KilledGatewayTests {
  @Test(.timeLimit(.minutes(30)))
  func `a gateway that was killed is none, and another takes its place`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/health.sqlite"
      let database = try SampleDatabase.open(at: path, .none)
      let gateway = try ClientProcess(["gateway", path], output: directory + "/said")
      #expect(try await eventually { try gateway.lines() == ["ready"] })
      #expect(database.hasGateway)
      #expect(throws: StorageFailure.self) { try database.becomeGateway() }
      gateway.kill()
      #expect(!database.hasGateway)
      try database.becomeGateway()
    }
  }
}
