import Foundation
import Testing

@testable import HealthStorage

@Suite struct GatewayLockTests {
  private func mode(of path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func `only one handle is the gateway, and every handle can see that there is one`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s"
      let other = try SampleDatabase.open(at: path)
      do {
        let first = try SampleDatabase.open(at: path)
        #expect(!first.hasGateway && !other.hasGateway)
        try first.becomeGateway()
        #expect(throws: StorageError.gatewayRuns(process: getpid())) {
          try first.admitted(.system).becomeGateway()
        }
        #expect(first.hasGateway && other.hasGateway)
        #expect(throws: StorageError.gatewayRuns(process: getpid())) { try other.becomeGateway() }
      }
      #expect(!other.hasGateway)
      try other.becomeGateway()
    }
  }

  @Test func `another handle can become the gateway after a resignation`() async throws {
    try await withTemporaryDirectory { directory in
      let first = try SampleDatabase.open(at: directory + "/s")
      let other = try SampleDatabase.open(at: directory + "/s")
      try first.becomeGateway()
      first.resignAsGateway()
      #expect(!first.hasGateway && !other.hasGateway)
      try other.becomeGateway()
      // A connection that does not hold the lock cannot release it.
      first.resignAsGateway()
      #expect(throws: StorageError.gatewayRuns(process: getpid())) { try first.becomeGateway() }
    }
  }

  @Test func `an invalid process ID in the lock file is not reported`() async throws {
    try await withTemporaryDirectory { directory in
      let first = try SampleDatabase.open(at: directory + "/s")
      try first.becomeGateway()
      let other = try SampleDatabase.open(at: directory + "/s")
      for text in ["", "\n", "x1", "99999999999999999999"] {
        try Data(text.utf8).write(to: URL(filePath: directory + "/s-gateway"), options: [])
        #expect(throws: StorageError.gatewayRuns(process: nil)) { try other.becomeGateway() }
      }
    }
  }

  @Test func `any user who may write the store may become its gateway`() async throws {
    try await withTemporaryDirectory { directory in
      for rights in [0o600, 0o660] {
        let path = directory + "/\(rights)"
        let database = try SampleDatabase.open(at: path)
        try FileManager.default.setAttributes([.posixPermissions: rights], ofItemAtPath: path)
        try database.becomeGateway()
        #expect(try mode(of: path + "-gateway") == rights)
      }
    }
  }

  @Test func `a link to a store is the same store`() async throws {
    try await withTemporaryDirectory { directory in
      let real = try SampleDatabase.open(at: directory + "/s")
      try FileManager.default.createSymbolicLink(
        atPath: directory + "/link", withDestinationPath: directory + "/s")
      try SampleDatabase.open(at: directory + "/link").becomeGateway()
      #expect(!real.hasGateway)
      let linked = try SampleDatabase.open(at: directory + "/link")
      try linked.becomeGateway()
      #expect(throws: StorageError.gatewayRuns(process: getpid())) { try real.becomeGateway() }
    }
  }

  @Test func `the lock file must not be a symbolic link`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/s"
      let database = try SampleDatabase.open(at: path)
      #expect(!database.hasGateway)
      try FileManager.default.createSymbolicLink(
        atPath: path + "-gateway", withDestinationPath: directory + "/elsewhere")
      #expect(throws: StorageError.file(operation: "open", path: path + "-gateway", errno: ELOOP)) {
        try database.becomeGateway()
      }
      #expect(!FileManager.default.fileExists(atPath: directory + "/elsewhere"))
      // The lock cannot be read, so a gateway is assumed to run.
      #expect(database.hasGateway)
    }
  }

  @Test func `a store in memory is never locked by another program`() throws {
    let database = try SampleDatabase.inMemory(.none)
    #expect(!database.hasGateway)
    try database.becomeGateway()
    #expect(database.hasGateway)
    #expect(throws: StorageError.gatewayRuns(process: getpid())) { try database.becomeGateway() }
    database.resignAsGateway()
    #expect(!database.hasGateway)
  }
}
