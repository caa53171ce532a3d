/// What a check found, and what to do about it.
public struct Finding: Hashable, Sendable {
  /// The raw values are what `--json` prints; they do not change.
  public enum Verdict: String, Hashable, Sendable, CaseIterable {
    case ok
    /// The gateway works, and something is about to stand in its way, or does now and then.
    case warn
    /// Something stands in the gateway's way.
    case fail
  }

  /// The name of the check; it does not change.
  public var check: String
  /// Which adapter, monitor or file; `nil` where there is but one.
  public var subject: String?
  public var verdict: Verdict
  public var text: String
  /// What to do; `nil` where nothing needs to be done.
  public var advice: String?

  public init(
    _ check: String, of subject: String? = nil, _ verdict: Verdict, _ text: String, advice: String? = nil
  ) {
    self.check = check
    self.subject = subject
    self.verdict = verdict
    self.text = text
    self.advice = advice
  }
}
