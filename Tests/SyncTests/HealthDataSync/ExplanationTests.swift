import HealthKit
import HealthStorage
import Testing

@testable import HealthDataSync

/// Tests error messages for the user.
@Suite struct ExplanationTests {
  @Test func `a message names the failed part and has no text of unknown errors`() {
    let full = StorageError.sqlite(code: "SQLITE_FULL", message: "database or disk is full")
    #expect(
      ExternalStoreError(explaining: full)
        == ExternalStoreError(
          "the health store cannot be used (\(full)): check its file and disk; hrgate tries again",
          outlook: .passing))
    let denied = HKError(.errorAuthorizationDenied, reason: "no entitlement")
    #expect(ExternalStoreError(explaining: denied).outlook == .lasting)
    let own = ExternalStoreError("the server is away", outlook: .passingAfter(.seconds(3)))
    #expect(ExternalStoreError(explaining: own) == own)
    struct TalkativeError: Error, CustomStringConvertible { let description = "password hunter2" }
    #expect(!ExternalStoreError(explaining: TalkativeError()).description.contains("hunter2"))
    // A CancellationError that a library throws counts as a passing failure, so the run continues.
    #expect(ExternalStoreError(explaining: CancellationError()).outlook == .passing)
  }

  /// Most calls of the store translate `StorageError.locked` to an `HKError`. Both errors have the same
  /// explanation.
  @Test func `sync is paused while the store is locked, and tries again soon`() {
    let translated = #expect(throws: HKError.self) {
      try HKError.translating { throw StorageError.locked }
    }
    for error in [StorageError.locked, translated] as [(any Error)?] {
      let explained = error.map { ExternalStoreError(explaining: $0) }
      #expect(explained?.description.hasPrefix("sync is paused while the store is locked") == true)
      #expect(explained?.outlook == .passingAfter(.seconds(5)))
    }
  }
}
