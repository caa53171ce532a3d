import Foundation
import Gateway

/// Why old samples stay as they are, for a person; there is none where they do not.
struct CondensingSentence {
  let text: String

  init?(_ report: CondensingReport) {
    if let failure = report.failure {
      text = failure.localizedDescription
    } else if report.left > 0 {
      let reason = report.reason.map { ", the last of them \($0)" } ?? ""
      text = "\(Counted.text(report.left, "hour stays", "hours stay")) as before\(reason)"
    } else {
      return nil
    }
  }
}
