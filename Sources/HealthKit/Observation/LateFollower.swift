/// Answers a question, and goes on with what is new.
protocol AnswerFollower {
  associatedtype Answer

  /// nil once the task is cancelled.
  mutating func next() async throws -> Answer?
}

/// What an iterator gives one by one of a follower that its first `next()` makes.
struct LateFollower<Follower: AnswerFollower> {
  private let make: () async throws -> Follower
  private var follower: Follower?

  init(_ make: @escaping () async throws -> Follower) {
    self.make = make
  }

  mutating func next() async throws -> Follower.Answer? {
    if follower == nil { follower = try await make() }
    return try await follower?.next()
  }
}
