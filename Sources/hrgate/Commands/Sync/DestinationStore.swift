import ExternalStores
import Foundation
import HealthDataSync
import HealthKit
import Synchronization

/// The external store at a destination's address. It stays the same as long as the secret does, because it
/// learns from one attempt what it needs for the next; with another secret there is another.
final class DestinationStore: ExternalStore {
  private struct Made {
    let secret: String?
    let store: any ExternalStore
  }

  private struct State {
    var made: Made?
    var isOpen = false
    /// The secret of the last attempt; nil if it could not be read.
    var tried: String??
  }

  private let destination: SyncDestination
  private let state = Mutex(State())

  /// How often the secret is looked at while an attempt has failed.
  private static let pause = Duration.seconds(2)

  init(_ destination: SyncDestination) { self.destination = destination }

  func open() async throws { _ = try await open(expecting: nil) }

  /// Reads the secret again: whoever changes it needs to do nothing else.
  func open(expecting marker: DestinationMarker?) async throws -> Int64? {
    await close()
    state.withLock { $0.tried = nil }
    let secret = try Self.secret(of: destination)
    let store = try state.withLock { state throws(ExternalStoreError) in
      state.tried = secret
      if let made = state.made, made.secret == secret { return made.store }
      let store = try Self.make(destination, secret: secret)
      state.made = Made(secret: secret, store: store)
      return store
    }
    state.withLock { $0.isOpen = true }
    return try await store.open(expecting: marker)
  }

  /// Sends the page again at once if it fails and the secret has been changed since the store was opened, as
  /// a token is that expires.
  func carry(_ page: ChangePage) async throws -> [Refusal] {
    do {
      return try await openStore.carry(page)
    } catch {
      guard (error as? ExternalStoreError)?.outlook == .lasting, hasNewSecret else { throw error }
      // The page before this one is the last that is there.
      let last = page.marker.flatMap { marker in
        marker.sequence.map { DestinationMarker(id: marker.id, sequence: $0 > 1 ? $0 - 1 : nil) }
      }
      _ = try await open(expecting: last)
      return try await openStore.carry(page)
    }
  }

  func reset() async throws { try await openStore.reset() }

  func close() async {
    let store = state.withLock { state in
      defer { state.isOpen = false }
      return state.isOpen ? state.made?.store : nil
    }
    await store?.close()
  }

  func reasonToReject(_ type: HKSampleType) -> String? {
    state.withLock { $0.made?.store }?.reasonToReject(type)
  }

  func untilWorthRetrying() async {
    while !Task.isCancelled {
      try? await Task.sleep(for: Self.pause)
      if hasNewSecret { return }
    }
  }

  /// Whether there is a secret that was not tried yet.
  private var hasNewSecret: Bool {
    guard let secret = try? Self.secret(of: destination) else { return false }
    return state.withLock { $0.tried != .some(secret) }
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

  /// - Returns: why a type that was chosen is never accepted, by the type.
  /// - Throws: what is wrong with the address or the secret, before anything is connected.
  static func check(_ destination: SyncDestination) throws(ExternalStoreError) -> [HKSampleType: String] {
    let store = try make(destination, secret: secret(of: destination))
    return (destination.types ?? []).reduce(into: [:]) { $0[$1] = store.reasonToReject($1) }
  }

  private static func secret(of destination: SyncDestination) throws(ExternalStoreError) -> String? {
    try DestinationSecret(destination: destination.name, file: destination.secretFile).read()
  }
}
