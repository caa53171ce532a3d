import HealthStorage

extension HKHealthStore {
  /// The configuration of a store handle: the location of the data, the program that uses it, and how
  /// permission is granted. (Not part of Apple's framework.)
  ///
  /// ```swift
  /// let configuration = HKHealthStore.Configuration(
  ///   location: .file("test.sqlite"), decision: .everything)
  /// let store = try HKHealthStore(configuration: configuration)
  /// ```
  public struct Configuration: Sendable {
    /// The location of the data.
    public enum Location: Hashable, Sendable {
      /// The store of this user, `$XDG_DATA_HOME/hrgate/health.sqlite`, or of the person named in
      /// `HRGATE_PERSON`.
      case user
      /// A file, created if it does not exist. The file of the user's own store is treated as `user`,
      /// whatever path refers to it.
      case file(String)
      /// In memory: a new, empty store, which is deleted when its last handle is released.
      case memory
    }

    /// How permission is granted.
    ///
    /// ```swift
    /// let configuration = HKHealthStore.Configuration(
    ///   location: .memory, decision: .asking { request in .granted(share: [], read: request.read) })
    /// ```
    public enum Decision: Sendable {
      /// The user decides, with `hrgate permissions`. Requests are kept in the store until then.
      case user
      /// Everything is permitted, as if the user had granted all permissions in advance.
      case everything
      /// A closure of the program decides. This is for tests and for programs with their own permission
      /// dialog. The decisions are saved in the store.
      case asking(@Sendable (Request) async throws -> Answer)
    }

    /// A request for the permissions that are still undecided.
    public struct Request: Sendable {
      public let application: Application
      public let share: Set<HKSampleType>
      public let read: Set<HKObjectType>
      /// Samples of types that require permission for each object.
      public let objects: [HKSample]
    }

    /// The answer to a request.
    public enum Answer: Sendable {
      /// No decision: everything in the request remains undecided.
      case cancelled
      /// Grants these permissions and denies the others in the request.
      case granted(share: Set<HKSampleType>, read: Set<HKObjectType>, objects: Set<HKSample> = [])
      /// Grants all permissions in the request.
      case grantedAll
    }

    public var location: Location
    /// The program; nil for this program, as described by the files next to its executable.
    public var application: Application?
    public var decision: Decision

    public init(
      location: Location = .user, application: Application? = nil, decision: Decision = .user
    ) {
      self.location = location
      self.application = application
      self.decision = decision
    }
  }
}

extension HKHealthStore.Configuration {
  /// Checks that location and decision are compatible.
  /// - Parameter usersStores: Returns the files that count as the user's own stores, including those of other
  ///   people. The closure is called only if needed.
  /// - Throws: `HKError` errorInvalidArgument if location and decision are incompatible; errors of
  ///   `usersStores`.
  func check(_ usersStores: () throws -> [String]) throws {
    switch (location, decision) {
    case (.memory, .user):
      throw HKError(
        .errorInvalidArgument,
        reason: "a store in memory cannot ask the user: set another decision, or use a store in a file")
    case (.memory, _), (_, .user):
      break
    case (.file(let path), _):
      if try usersStores().contains(where: { FileIdentity.isSame(path, $0) }) { throw Self.usersAlone }
    case (.user, _): throw Self.usersAlone
    }
  }

  private static var usersAlone: HKError {
    HKError(
      .errorInvalidArgument,
      reason:
        "permissions for a user's own store can only be decided by that user: use the decision .user, or another file"
    )
  }
}
