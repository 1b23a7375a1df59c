import { packageName } from "@dt/core/internal";
import { checkTable } from "../options.ts";
import { TABLE } from "./definition.ts";

/**
 * A CloudFormation template (YAML) of the table.
 * @param table the table's name
 * @throws DtError `DT_INVALID_OPTION`
 * @example console.log(cloudFormationTemplate("limits"));
 */
export function cloudFormationTemplate(table: string): string {
  return `AWSTemplateFormatVersion: "2010-09-09"
Description: Table of ${packageName("dynamodb")}
Resources:
  ThrottleTable:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: ${checkTable(table)}
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions:
        - AttributeName: ${TABLE.partitionKey}
          AttributeType: S
        - AttributeName: ${TABLE.sortKey}
          AttributeType: S
      KeySchema:
        - AttributeName: ${TABLE.partitionKey}
          KeyType: HASH
        - AttributeName: ${TABLE.sortKey}
          KeyType: RANGE
      TimeToLiveSpecification:
        AttributeName: ${TABLE.timeToLive}
        Enabled: true
`;
}

/**
 * A Terraform resource (HCL) of the table.
 * @param table the table's name
 * @throws DtError `DT_INVALID_OPTION`
 * @example console.log(terraformResource("limits"));
 */
export function terraformResource(table: string): string {
  return `resource "aws_dynamodb_table" "throttle" {
  name         = "${checkTable(table)}"
  billing_mode = "PAY_PER_REQUEST"
  hash_key     = "${TABLE.partitionKey}"
  range_key    = "${TABLE.sortKey}"

  attribute {
    name = "${TABLE.partitionKey}"
    type = "S"
  }

  attribute {
    name = "${TABLE.sortKey}"
    type = "S"
  }

  ttl {
    attribute_name = "${TABLE.timeToLive}"
    enabled        = true
  }
}
`;
}
