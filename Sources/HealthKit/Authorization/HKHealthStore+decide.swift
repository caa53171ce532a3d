import Foundation
package import HealthStorage

extension HKHealthStore {
  /// Puts a question to whoever decides, and keeps the answer.
  /// - Throws: errorUserCanceled.
  func decide(_ question: PermissionRequest, _ request: Configuration.Request) async throws {
    guard case .application(_, let decider) = authority else { return }
    let database = try admit(.authorization)
    switch decider {
    case .user: try await Self.askUser(question, in: database)
    case .program(let decide):
      let answer = try await decide(request)
      if case .cancelled = answer { throw Self.cancelled }
      try await Self.keep(answer, to: request, question, in: database)
    }
  }

  /// Waits, also for another process, until what this application asks is answered.
  func settlePendingRequests() async throws {
    guard let application = try authority.application, case .application(_, let decider) = authority else {
      return
    }
    try await HKError.translating {
      let database = try admit(.authorization)
      try await Self.forgetAbandonedRequests(in: database)
      for pending in try await database.pendingRequests(of: application.bundleIdentifier) {
        if case .program(let decide) = decider {
          let request = try await Self.request(pending, application, in: database)
          try await Self.keep(
            try await decide(request), to: request, pending.request, pending.id, in: database)
        } else {
          _ = try await Self.answer(to: pending.id, in: database)
        }
      }
    }
  }

  /// A program that was killed cannot take its question back.
  package static func forgetAbandonedRequests(in database: SampleDatabase) async throws {
    for (request, asker) in try await database.askers() where !asker.isAlive {
      try await database.withdraw(request)
    }
  }

  private static let cancelled = HKError(
    .errorUserCanceled, reason: "The user canceled the authorization request")

  private static func askUser(_ question: PermissionRequest, in database: SampleDatabase) async throws {
    let id = try await database.ask(question, by: .this, at: Microseconds.clamped(Date()))
    let answer: RequestAnswer
    do {
      answer = try await Self.answer(to: id, in: database)
    } catch {
      // A task of its own, because this one may have been cancelled, and a question that nobody waits for
      // must go all the same. If that fails too, the user is asked in vain, which harms nothing.
      await Task { try? await database.withdraw(id) }.value
      throw error
    }
    try await database.withdraw(id)
    guard answer == .decided else { throw cancelled }
  }

  /// Looks whenever something was committed, because another process answers.
  private static func answer(to request: Int64, in database: SampleDatabase) async throws -> RequestAnswer {
    // The ticks before the first look, so that no commit falls between.
    var ticks = database.commits().makeAsyncIterator()
    var notice = WaitingNotice(store: database.path)
    while true {
      let answer = try await database.answer(to: request)
      guard answer == .pending else { return answer }
      notice.tellOnce()
      // The ticks end when the task is cancelled.
      guard await ticks.next() != nil else { throw CancellationError() }
    }
  }

  /// What was not granted is denied.
  /// - Parameters:
  ///   - shown: the question as it was put.
  ///   - question: the same as it is stored; it may name types that this version does not know.
  ///   - id: of the question; nil for one that never waited.
  package static func keep(
    _ answer: Configuration.Answer, to shown: Configuration.Request, _ question: PermissionRequest,
    _ id: Int64? = nil, in database: SampleDatabase
  ) async throws {
    let now = Microseconds.clamped(Date())
    let granted: (share: Set<String>, read: Set<String>, objects: Set<UUID>)
    switch answer {
    case .cancelled:
      if let id { try await database.cancel(id, at: now) }
      return
    case .grantedAll:
      granted = identifiers(shown.share, shown.read, shown.objects)
    case .granted(let share, let read, let objects):
      granted = identifiers(share, read, Array(objects))
    }
    var decisions: [String: Permission] = [:]
    for type in question.share { decisions[type, default: Permission()].share = granted.share.contains(type) }
    for type in question.read { decisions[type, default: Permission()].read = granted.read.contains(type) }
    try await database.answer(question, id, decisions, readable: granted.objects, at: now)
  }

  private static func identifiers(
    _ share: Set<HKSampleType>, _ read: Set<HKObjectType>, _ objects: [HKSample]
  ) -> (share: Set<String>, read: Set<String>, objects: Set<UUID>) {
    (Set(share.map(\.identifier)), Set(read.map(\.identifier)), Set(objects.map(\.uuid)))
  }

  /// A stored question, as its application presented itself when it asked.
  package static func request(
    _ pending: PendingRequest, in database: SampleDatabase
  ) async throws -> Configuration.Request {
    try await request(pending, Application(asking: pending.request), in: database)
  }

  /// A stored question, as it is shown. Types that this version does not know are left out, and denied by any
  /// answer.
  private static func request(
    _ pending: PendingRequest, _ application: Application, in database: SampleDatabase
  ) async throws -> Configuration.Request {
    var assembly = SampleAssembly()
    let objects = try await database.samples(
      .uuids(Set(pending.request.objects)), order: [.start(ascending: true)])
    return Configuration.Request(
      application: application,
      share: Set(pending.request.share.compactMap { ObjectTypes.type($0) as? HKSampleType }),
      read: Set(pending.request.read.compactMap { ObjectTypes.type($0) }),
      objects: try objects.map { try assembly.sample($0) })
  }
}

extension HKHealthStore.Application {
  fileprivate init(asking request: PermissionRequest) {
    self.init(
      trusting: request.application.bundleIdentifier, name: request.application.name, version: nil,
      entitlements: Entitlements(healthKit: true), healthShareUsageDescription: request.readDescription,
      healthUpdateUsageDescription: request.shareDescription, requiredReadTypes: [], backgroundUnit: nil)
  }
}

extension PermissionRequest {
  init(
    _ application: HKHealthStore.Application, share: [String] = [], read: [String] = [],
    objects: [UUID] = []
  ) {
    self.init(
      application: ApplicationRecord(
        bundleIdentifier: application.bundleIdentifier, name: application.name),
      shareDescription: application.healthUpdateUsageDescription,
      readDescription: application.healthShareUsageDescription, share: share, read: read, objects: objects)
  }
}
