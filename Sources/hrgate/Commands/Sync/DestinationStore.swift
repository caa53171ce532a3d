import ExternalStores
import Foundation
import HealthDataSync
import HealthKit
import Synchronization

/// The external store at a destination's address.
///
/// The store is kept while the secret stays the same, because it remembers between attempts what it has
/// learned about the destination. A changed secret creates a new store.
final class DestinationStore: ExternalStore {
  private struct Made {
    let secret: String?
    let store: any ExternalStore
  }

  private struct State {
    var made: Made?
    var isOpen = false
    /// The secret used by the last attempt: `.some(nil)` if there is no secret, `nil` if it could not be
    /// read.
    var tried: String??
  }

  private let destination: SyncDestination
  private let state = Mutex(State())

  /// Interval at which the secret is checked for changes after a failed attempt.
  private static let pause = Duration.seconds(2)

  init(_ destination: SyncDestination) { self.destination = destination }

  func open() async throws { _ = try await open(expecting: nil) }

  /// Opens the store with the current secret.
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

  /// Sends a page of changes. If that fails and the secret has changed since the store was opened, as an
  /// expiring token does, the store is reopened and the page is sent once more.
  func upload(_ page: ChangePage) async throws -> [RejectedChange] {
    do {
      return try await openStore.upload(page)
    } catch {
      guard (error as? ExternalStoreError)?.outlook == .lasting, hasNewSecret else { throw error }
      // The destination still has the marker of the previous page, whose sequence number is one less.
      let last = page.marker.flatMap { marker in
        marker.sequence.map { DestinationMarker(id: marker.id, sequence: $0 > 1 ? $0 - 1 : nil) }
      }
      _ = try await open(expecting: last)
      return try await openStore.upload(page)
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

  /// Whether the current secret differs from the one used by the last attempt.
  private var hasNewSecret: Bool {
    guard let secret = try? Self.secret(of: destination) else { return false }
    return state.withLock { $0.tried != .some(secret) }
  }

  private var openStore: any ExternalStore {
    get throws {
      guard let store = state.withLock({ $0.isOpen ? $0.made?.store : nil }) else {
        throw ExternalStoreError(
          "\(destination.name) is not open; hrgate opens it at the next attempt", outlook: .passing)
      }
      return store
    }
  }

  /// Creates the store for an address, by its scheme.
  ///
  /// - Throws: `ExternalStoreError` if the address is invalid.
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
        "not a destination address; it must begin with postgresql://, fhir+https://, mqtts://, mqtt:// or file://"
      )
    }
  }

  /// Checks the address and the secret without connecting.
  ///
  /// - Returns: The chosen types that the destination never accepts, each with the reason.
  /// - Throws: `ExternalStoreError` if the address or the secret is invalid.
  static func check(_ destination: SyncDestination) throws(ExternalStoreError) -> [HKSampleType: String] {
    let store = try make(destination, secret: secret(of: destination))
    return (destination.types ?? []).reduce(into: [:]) { $0[$1] = store.reasonToReject($1) }
  }

  private static func secret(of destination: SyncDestination) throws(ExternalStoreError) -> String? {
    try DestinationSecret(destination: destination.name, file: destination.secretFile).read()
  }
}
