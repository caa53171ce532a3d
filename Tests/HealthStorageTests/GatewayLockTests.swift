import Foundation
import Testing

@testable import HealthStorage

@Suite struct GatewayLockTests {
  private func mode(of path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func `one handle at a time is the gateway, and all can see that there is one`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s"
      let other = try SampleDatabase.open(at: path)
      do {
        let first = try SampleDatabase.open(at: path)
        #expect(!first.hasGateway && !other.hasGateway)
        try first.becomeGateway()
        try first.admitted(.system).becomeGateway()
        #expect(first.hasGateway && other.hasGateway)
        #expect(throws: StorageFailure.gatewayRuns(process: getpid())) { try other.becomeGateway() }
        #expect(try mode(of: path + "-gateway") == 0o600)
      }
      #expect(!other.hasGateway)
      try other.becomeGateway()
    }
  }

  @Test func `a number that is none is not told`() async throws {
    try await withTemporaryDirectory { directory in
      let first = try SampleDatabase.open(at: directory + "/s")
      try first.becomeGateway()
      let other = try SampleDatabase.open(at: directory + "/s")
      for text in ["", "\n", "x1", "99999999999999999999"] {
        try Data(text.utf8).write(to: URL(filePath: directory + "/s-gateway"), options: [])
        #expect(throws: StorageFailure.gatewayRuns(process: nil)) { try other.becomeGateway() }
      }
    }
  }

  @Test func `where the lock's file cannot be made it is said`() async throws {
    try await withTemporaryDirectory { directory in
      let database = try SampleDatabase.open(at: directory + "/s")
      try FileManager.default.createSymbolicLink(
        atPath: directory + "/s-gateway", withDestinationPath: directory + "/elsewhere")
      #expect(throws: StorageFailure.self) { try database.becomeGateway() }
      #expect(!FileManager.default.fileExists(atPath: directory + "/elsewhere"))
      #expect(!database.hasGateway)
    }
  }

  @Test func `a store in memory has no other program`() throws {
    let database = try SampleDatabase.inMemory(.none)
    try database.becomeGateway()
    #expect(!database.hasGateway)
  }
}
