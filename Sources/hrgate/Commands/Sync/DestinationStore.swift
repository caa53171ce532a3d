import Foundation
import HealthDataSync
import SyncFHIR
import SyncFiles
import SyncMQTT
import SyncPostgreSQL
import Synchronization

/// The external store at a destination's address. It stays the same as long as the secret does, for it learns
/// from one attempt what it needs for the next; with another secret there is another.
final class DestinationStore: ExternalStore {
  private struct Made {
    let secret: String?
    let store: any ExternalStore
  }

  private struct State {
    var made: Made?
    var isOpen = false
  }

  private let destination: SyncDestination
  private let state = Mutex(State())

  init(_ destination: SyncDestination) { self.destination = destination }

  /// Reads the secret anew: whoever changed it is done with that.
  func open() async throws {
    await close()
    let secret = try Self.secret(of: destination)
    let store = try state.withLock { state throws(ExternalStoreError) in
      if let made = state.made, made.secret == secret { return made.store }
      let store = try Self.make(destination, secret: secret)
      state.made = Made(secret: secret, store: store)
      return store
    }
    state.withLock { $0.isOpen = true }
    try await store.open()
  }

  func carry(_ page: ChangePage) async throws -> [Refusal] { try await openStore.carry(page) }

  func reset() async throws { try await openStore.reset() }

  func close() async {
    let store = state.withLock { state in
      defer { state.isOpen = false }
      return state.isOpen ? state.made?.store : nil
    }
    await store?.close()
  }

  private var openStore: any ExternalStore {
    get throws {
      guard let store = state.withLock({ $0.isOpen ? $0.made?.store : nil }) else {
        throw ExternalStoreError(
          "\(destination.name) is not open: it is opened with the next attempt", outlook: .passing)
      }
      return store
    }
  }

  /// What is at an address, by its scheme.
  /// - Throws: what is wrong with the address.
  private static func make(
    _ destination: SyncDestination, secret: String?
  ) throws(ExternalStoreError) -> any ExternalStore {
    let (address, identity) = (destination.address, destination.identity)
    switch address.prefix(while: { $0 != ":" }).lowercased() {
    case "postgresql", "postgres":
      return PostgreSQLStore(
        address: try PostgreSQLAddress(parsing: address), secret: secret, identity: identity)
    case "fhir+https", "fhir+http":
      return FHIRStore(try FHIRAddress(address), secret: secret, identity: identity)
    case "mqtt", "mqtts":
      return MQTTStore(
        try MQTTAddress(address), password: secret, identity: identity, destination: destination.name)
    case "file":
      return FilesStore(try FilesAddress(address), identity: identity)
    default:
      throw .address(
        "this is no address of a destination: begin it with postgresql://, fhir+https://, mqtts://, mqtt:// or file://"
      )
    }
  }

  /// - Throws: what is wrong with the address or the secret, before anything is connected.
  static func check(_ destination: SyncDestination) throws(ExternalStoreError) {
    _ = try make(destination, secret: secret(of: destination))
  }

  private static func secret(of destination: SyncDestination) throws(ExternalStoreError) -> String? {
    try DestinationSecret(destination: destination.name, file: destination.secretFile).read()
  }
}
