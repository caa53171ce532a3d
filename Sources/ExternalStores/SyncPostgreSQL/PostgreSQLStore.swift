import Foundation
public import HealthDataSync

/// An external store that sends samples to the schema `hrgate` of a PostgreSQL database. Several gateways can
/// share the database.
///
/// Each sample is stored once per person, identified by its UUID, even if several gateways send it. If one
/// gateway deletes a sample, no other gateway inserts it again. Each page of changes is written in one
/// transaction.
public final class PostgreSQLStore: ExternalStore {
  private let address: PostgreSQLAddress
  private let secret: String?
  private let identity: ExternalIdentity
  private let schema: Schema
  private let limits: Limits
  private let sessions = ConnectionQueue<Session?>(nil)

  /// Creates a store.
  ///
  /// - Parameter secret: The password, or `nil` to use PGPASSWORD, the password file, or no password.
  public convenience init(address: PostgreSQLAddress, secret: String?, identity: ExternalIdentity) {
    self.init(address: address, secret: secret, identity: identity, schema: .current, limits: Limits())
  }

  init(
    address: PostgreSQLAddress, secret: String?, identity: ExternalIdentity, schema: Schema, limits: Limits
  ) {
    self.address = address
    self.secret = secret
    self.identity = identity
    self.schema = schema
    self.limits = limits
  }

  /// Connects, and creates or migrates the schema.
  /// - Throws: `ExternalStoreError`; `CancellationError`.
  public func open() async throws { _ = try await open(expecting: nil) }

  /// Connects, creates or migrates the schema, and reads or creates the marker, which contains the number of
  /// the last page of changes.
  ///
  /// - Throws: `ExternalStoreError`: `lostData` if the marker is expected and missing; `CancellationError`.
  public func open(expecting marker: DestinationMarker?) async throws -> Int64? {
    try await perform { [address, secret, identity, schema, limits] session, cancellation in
      // Close the old session before opening a new one.
      session = nil
      let opened = try Session(
        address, secret: secret, identity: identity, schema: schema, marker: marker, limits: limits,
        cancellation: cancellation)
      session = opened
      return opened.sequence
    }
  }

  /// Writes a page of changes and its number in one transaction.
  ///
  /// - Returns: The records that the database rejected.
  /// - Throws: `ExternalStoreError`; `CancellationError`. The session is closed after an error, unless the
  ///   server reported it and the session is still usable.
  public func upload(_ page: ChangePage) async throws -> [RejectedChange] {
    try await perform { session, cancellation in
      guard let open = session else { throw PostgreSQLError.lost }
      do {
        return try open.upload(page, cancellation)
      } catch PostgreSQLError.server(let error) where open.isUsable {
        throw PostgreSQLError.server(error)
      } catch {
        session = nil
        throw error
      }
    }
  }

  public func close() async {
    try? await perform { session, _ in session = nil }
  }

  private func perform<Result: Sendable>(
    _ body: @escaping @Sendable (inout Session?, Cancellation) throws -> Result
  ) async throws -> Result {
    do {
      return try await sessions.perform(body)
    } catch PostgreSQLError.cancelled {
      throw CancellationError()
    } catch let failure as PostgreSQLError {
      throw ExternalStoreError(failure, at: address)
    }
  }
}
