import HealthStorage

extension HKHealthStore {
  /// Where a store's data lie, for which program it is, and who decides what the program may do. (Not in
  /// Apple's framework.)
  public struct Configuration: Sendable {
    /// Where the data lie.
    public enum Location: Hashable, Sendable {
      /// The store of this user, `$XDG_DATA_HOME/hrgate/health.sqlite`, or of the person in `HRGATE_PERSON`.
      case user
      /// A file of the program's choice, made if it is not there. One that is the user's store is `user`,
      /// whatever it is called.
      case file(String)
      /// In memory; a new store each time, gone with the last handle on it.
      case memory
    }

    /// Who decides.
    public enum Decision: Sendable {
      /// The user, with `hrgate permissions`: a request waits in the store until they have answered.
      case user
      /// Everything is permitted, as if the user had granted all before the program asked.
      case everything
      /// The program's own code, for tests and for programs that have their own sheet. What it decides is
      /// kept in the store.
      case asking(@Sendable (Request) async throws -> Answer)
    }

    /// What a program asks, as far as it is undecided.
    public struct Request: Sendable {
      public let application: Application
      public let share: Set<HKSampleType>
      public let read: Set<HKObjectType>
      /// Samples of types that are permitted object by object.
      public let objects: [HKSample]
    }

    /// What was decided.
    public enum Answer: Sendable {
      /// Nothing; what was asked stays undecided.
      case cancelled
      /// These are granted, and what else was asked is denied.
      case granted(share: Set<HKSampleType>, read: Set<HKObjectType>, objects: Set<HKSample> = [])
      /// All that was asked.
      case grantedAll
    }

    public var location: Location
    /// nil for this program, as the files beside its executable describe it.
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
  /// - Parameter usersStores: the files that `.user` is, for whomever. It is not asked where that does not
  ///   matter.
  /// - Throws: errorInvalidArgument for a place and a decision that do not go together; what `usersStores`
  ///   throws.
  func check(_ usersStores: () throws -> [String]) throws {
    switch (location, decision) {
    case (.memory, .user):
      throw HKError(
        .errorInvalidArgument, reason: "no other program sees a store in memory, so that nobody could decide")
    case (.memory, _), (_, .user):
      break
    case (.file(let path), _):
      if try usersStores().contains(where: { FileIdentity.isSame(path, $0) }) { throw Self.usersAlone }
    case (.user, _): throw Self.usersAlone
    }
  }

  private static var usersAlone: HKError {
    HKError(.errorInvalidArgument, reason: "on the user's own store the user decides")
  }
}
