import ArgumentParser

/// The people whose stores this user keeps.
struct PeopleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "people",
    abstract: "Who has a store of their own here beside yours.",
    discussion: .paragraphs(
      """
      A store is one person's: from the beats of two hearts in one store nothing could be told of either. Each person has a folder below
      $XDG_DATA_HOME/hrgate/people with a store in it, which only you can read; yours stays where it is. hrgate pair --person gives a monitor
      to a person, one gateway follows the monitors of all, and --person tells each other command whose store is meant. A program reads a
      person's store where HRGATE_PERSON names them. What destinations, permissions and preferences there are, each store has for itself.

      A gateway that runs takes up whoever is added, and lets go of whoever is renamed or removed: what their monitors send meanwhile is in a
      recorded gap.

      EXAMPLES
        hrgate people add anna
        hrgate pair "Polar H10 12345678" --person anna
        hrgate stats --person anna
        HRGATE_PERSON=anna ./HeartRateReader
      """),
    subcommands: [
      PeopleListCommand.self, PeopleAddCommand.self, PeopleRenameCommand.self, PeopleRemoveCommand.self,
    ], defaultSubcommand: PeopleListCommand.self)
}
