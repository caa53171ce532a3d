import Foundation
import HealthDataSync
import SyncFHIR
import SyncFiles
import SyncMQTT
import SyncPostgreSQL
import Synchronization

/// The external store at a destination's address. It is made whenever it is opened: a secret that was changed
/// is then read anew.
final class DestinationStore: ExternalStore {
  private let destination: SyncDestination
  private let opened = Mutex<(any ExternalStore)?>(nil)

  init(_ destination: SyncDestination) { self.destination = destination }

  func open() async throws {
    await close()
    let store = try Self.make(destination)
    opened.withLock { $0 = store }
    try await store.open()
  }

  func carry(_ page: ChangePage) async throws -> [Refusal] {
    guard let store = opened.withLock(\.self) else {
      throw ExternalStoreError("\(destination.name) is not open", outlook: .passing)
    }
    return try await store.carry(page)
  }

  func close() async {
    let store = opened.withLock { $0.take() }
    await store?.close()
  }

  /// What is at an address, by its scheme.
  /// - Throws: what is wrong with the address or the secret.
  private static func make(_ destination: SyncDestination) throws(ExternalStoreError) -> any ExternalStore {
    let (address, identity) = (destination.address, destination.identity)
    let secret = try DestinationSecret(destination: destination.name, file: destination.secretFile).read()
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
      throw ExternalStoreError(
        "nothing is known of such an address: it begins with postgresql://, fhir+https://, mqtts://, mqtt:// or file://",
        outlook: .lasting)
    }
  }

  /// - Throws: what is wrong with the address or the secret, before anything is connected.
  static func check(_ destination: SyncDestination) throws(ExternalStoreError) { _ = try make(destination) }
}
